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

/** The limits of a listener that its options leave open. */
export interface ListenerDefaults {
  readonly maxBodyBytes: number
  readonly toleranceSeconds: number
  readonly retentionSeconds: number
  readonly leaseSeconds: number
}

const LEASE_SECONDS = 60

/** The specification's limits, or those of the sender's scheme. */
export function defaultsOf(scheme: SenderScheme | undefined): ListenerDefaults {
  return {
    maxBodyBytes: scheme?.maxBodyBytes ?? MAX_BODY_BYTES,
    toleranceSeconds: scheme ? (scheme.timestamp?.toleranceSeconds ?? Infinity) : TOLERANCE_SECONDS,
    retentionSeconds:
      scheme?.retentionSeconds ?? (isTimed(scheme) ? RETENTION_SECONDS : UNTIMED_RETENTION_SECONDS),
    leaseSeconds: scheme?.leaseSeconds ?? LEASE_SECONDS,
  }
}

/** Whether a signed time of the attempt bounds how long a captured delivery stays good. */
function isTimed(scheme: SenderScheme | undefined): boolean {
  if (scheme === undefined) return true
  return scheme.timestamp?.of === 'attempt' && scheme.timestamp.toleranceSeconds !== undefined
}

/**
 * As long as a captured delivery passes the checks again, its event has to be remembered.
 *
 * Without a signed time of the attempt that is for ever. Then a memory of 30 days is the default, and a store that drops
 * records when it is full may do so as for everyone else.
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

/** For how long the same bytes pass the checks again. For ever is taken for as long as by the specification. */
function replayableSeconds(scheme: SenderScheme | undefined, toleranceSeconds: number): number {
  const shortest = replayWindowSeconds()
  if (!Number.isFinite(toleranceSeconds)) return shortest
  const ofEvent = scheme?.timestamp?.of === 'event'
  return ofEvent ? Math.max(toleranceSeconds, shortest) : replayWindowSeconds(toleranceSeconds)
}
