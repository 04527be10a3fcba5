/**
 * The exact bytes of a body whose sender is not known yet. You can hash, sign and measure them, and slice them for that. The type
 * lets nothing else read them: what a stranger sends is read by `parsed()` and the like, within their limits.
 *
 * At run time it is the body's `Uint8Array`.
 */
export interface UnreadBytes {
  /** In bytes. */
  readonly length: number
  /** Only in the type, so that no other bytes are taken for these. */
  readonly unread: true
}

/** Bytes to hash, from any sender. */
export type HashedBytes = Uint8Array | UnreadBytes

/**
 * The bytes, for your own cryptography. Do not decode or parse them, nor walk over them one by one: anyone can send a body that takes
 * the process a hundred times as long as its hash.
 *
 * @example
 * ```ts
 * const digestOf = ({ bytes }: Evidence) => crypto.subtle.digest('SHA-256', bytesToHash(bytes).slice())
 * ```
 */
export const bytesToHash = (bytes: HashedBytes): Uint8Array => bytes as Uint8Array // which it is, under a type that hides it

/** Hides what is in the bytes of a stranger. */
export const unread = (bytes: Uint8Array): UnreadBytes => bytes as HashedBytes as UnreadBytes // the same bytes
