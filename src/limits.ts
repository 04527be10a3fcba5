/** The numbers of the specification. The unit stands in the name, the section in the comment. */

/** Largest body, in bytes: 64 KB (specification 4.2, 8.2). */
export const MAX_BODY_BYTES = 65_536

/** How far `Webhook-Timestamp` may be from the server's time, in seconds, either way (5.2, 8.2). */
export const TOLERANCE_SECONDS = 300

/** How far ahead a token's `exp` may lie, in seconds (5.2, 8.2). */
export const MAX_EXPIRY_SECONDS = 600

/**
 * For how long a delivery can pass the checks again, in seconds: from one end of the tolerance to the other, both of them
 * seconds that count whole, or as long as a token lives.
 */
export function replayWindowSeconds(toleranceSeconds: number = TOLERANCE_SECONDS): number {
  return Math.max(2 * toleranceSeconds + 1, MAX_EXPIRY_SECONDS)
}

/** How long a finished event is remembered, in seconds: 7 days (6, 8.2). */
export const RETENTION_SECONDS = 604_800

/**
 * How long events are remembered of senders whose signature holds no time of the attempt, in seconds: 30 days. As long as
 * that, a captured delivery is told from a new one.
 */
export const UNTIMED_RETENTION_SECONDS = 2_592_000

/** Entropy of a generated secret, in bytes: 256 bits (5.2, 8.2). */
export const SECRET_BYTES = 32
