import type { MaybePromise } from '../lib/maybe-promise.ts'

/** The hashes that senders use HMAC with. */
export type HmacHash = 'sha1' | 'sha256' | 'sha512'

/** How a MAC is encoded: lower-case hex, padded base64, or base64url without padding. */
export type Spelling = 'hex' | 'base64' | 'base64url'

/** Computes the MAC of the three parts, concatenated. Each character of `before` and `after` is one byte. */
export type Mac = (before: string, body: Uint8Array, after: string) => MaybePromise<string>
