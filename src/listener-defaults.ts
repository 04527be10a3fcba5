import { MAX_BODY_BYTES, RETENTION_SECONDS, TOLERANCE_SECONDS, UNTIMED_RETENTION_SECONDS } from './limits.ts'
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
