/** The limits of hookgate's scheme. See docs/specification.md. */

/** Maximum body size in bytes: 64 KB. */
export const MAX_BODY_BYTES = 65_536

/** How many bytes of a body may be hashed at once, for all secrets together: more are hashed in turns of the event loop. */
export const MOST_HASHED_AT_ONCE = 1_048_576

/** The longest body of another sender that is read before its sender is known, in bytes: 384 KB, as much as Amazon SNS sends. */
export const MOST_READ = 393_216

/** How far `Webhook-Timestamp` may be from the server's time, in seconds, in either direction. */
export const TOLERANCE_SECONDS = 300

/** How far in the future a token's `exp` may be, in seconds. */
export const MAX_EXPIRY_SECONDS = 600

/** Maximum length of a token, in characters. */
export const MAX_TOKEN_LENGTH = 8192

/** Maximum length of a `kid`, in characters. */
export const MAX_KEY_ID_LENGTH = 256

/** Maximum number of keys in a key set. */
export const MAX_KEYS = 100

/** Maximum size of a key set's document, in bytes: 256 KB. */
export const MAX_KEY_SET_BYTES = 262_144

/**
 * How long a captured delivery can be replayed, in seconds: the whole tolerance window, both ends included, or the longest
 * token lifetime.
 */
export function replayWindowSeconds(toleranceSeconds: number = TOLERANCE_SECONDS): number {
  return Math.max(2 * toleranceSeconds + 1, MAX_EXPIRY_SECONDS)
}

/** How long a handler may run by default, in seconds. Rows of senders that retry for less have less. */
export const MAX_RUN_SECONDS = 900

/** How long a committed event is remembered, in seconds: 7 days. */
export const RETENTION_SECONDS = 604_800

/**
 * How long events are remembered if the signature does not cover the time of the attempt, in seconds: 30 days. During
 * that time, replays of a captured delivery are detected.
 */
export const UNTIMED_RETENTION_SECONDS = 2_592_000

/** Entropy of a generated secret, in bytes: 256 bits. */
export const SECRET_BYTES = 32
