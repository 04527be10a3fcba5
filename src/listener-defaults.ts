import { ListenerConfigError } from './errors.ts'
import {
  MAX_BODY_BYTES,
  RETENTION_SECONDS,
  replayWindowSeconds,
  TOLERANCE_SECONDS,
  UNTIMED_RETENTION_SECONDS,
} from './limits.ts'
import type { ListenerOptions } from './listener-options.ts'
import type { SenderScheme } from './scheme/code-scheme.ts'

/** The limits that apply if the listener's options do not set them. */
export interface ListenerDefaults {
  readonly maxBodyBytes: number
  readonly toleranceSeconds: number
  readonly retentionSeconds: number
  readonly leaseSeconds: number
}

const LEASE_SECONDS = 60

/** The limits of the sender's scheme. Without one, those of hookgate's scheme. */
export function defaultsOf(scheme: SenderScheme | undefined): ListenerDefaults {
  return {
    maxBodyBytes: scheme?.maxBodyBytes ?? MAX_BODY_BYTES,
    toleranceSeconds: scheme ? (scheme.timestamp?.toleranceSeconds ?? Infinity) : TOLERANCE_SECONDS,
    retentionSeconds:
      scheme?.retentionSeconds ?? (isTimed(scheme) ? RETENTION_SECONDS : UNTIMED_RETENTION_SECONDS),
    leaseSeconds: scheme?.leaseSeconds ?? LEASE_SECONDS,
  }
}

/** Whether a signed attempt time limits how long a captured delivery can be replayed. */
function isTimed(scheme: SenderScheme | undefined): boolean {
  if (scheme === undefined) return true
  return scheme.timestamp?.of === 'attempt' && scheme.timestamp.toleranceSeconds !== undefined
}

/**
 * Requires that an event is remembered for as long as a captured delivery of it still passes the checks.
 *
 * Without a signed attempt time, that is for ever. The default retention is then 30 days, and a store that evicts records
 * only has to keep them for the replay window of hookgate's scheme.
 *
 * @throws ListenerConfigError
 */
export function checkMemory<Payload>(options: ListenerOptions<Payload>): void {
  const { auth, store } = options
  const scheme = auth.sender?.scheme
  const defaults = defaultsOf(scheme)
  const { toleranceSeconds = defaults.toleranceSeconds, retentionSeconds = defaults.retentionSeconds } =
    options
  const replayable = replayableSeconds(scheme, toleranceSeconds)
  if (retentionSeconds < replayable) {
    throw new ListenerConfigError(
      'retentionSeconds',
      `must be at least ${replayable}: that long a delivery can be replayed`,
    )
  }
  const kept = scheme === undefined ? replayable : Math.min(replayable, replayWindowSeconds())
  if ((store.replayWindowSeconds ?? Infinity) < kept) {
    throw new ListenerConfigError(
      'store',
      `its replayWindowSeconds must be at least ${kept}: that long a delivery can be replayed`,
    )
  }
}

/** How long the same bytes keep passing the checks. Where that is for ever: the replay window of hookgate's scheme. */
function replayableSeconds(scheme: SenderScheme | undefined, toleranceSeconds: number): number {
  const shortest = replayWindowSeconds()
  if (!Number.isFinite(toleranceSeconds)) return shortest
  const ofEvent = scheme?.timestamp?.of === 'event'
  return ofEvent ? Math.max(toleranceSeconds, shortest) : replayWindowSeconds(toleranceSeconds)
}
