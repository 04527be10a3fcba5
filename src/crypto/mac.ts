import type { MaybePromise } from '../lib/maybe-promise.ts'

/** The hashes that senders use HMAC with. */
export type HmacHash = 'sha1' | 'sha256' | 'sha512'

/** How a MAC is written: lower-case hex, padded base64, base64url without padding. */
export type Spelling = 'hex' | 'base64' | 'base64url'

/** The MAC of three parts as one. Each character of `before` and `after` is a byte. */
export type Mac = (before: string, body: Uint8Array, after: string) => MaybePromise<string>
