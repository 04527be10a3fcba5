import { createHmac, sign as signBytes } from 'node:crypto'
import { p256 } from './installed.mjs'

/** The senders' algorithms on `node:crypto`. No code of hookgate makes what hookgate is tested with. */

export const hmac = (hash, key, parts) => {
  const mac = createHmac(hash, key)
  for (const part of parts) mac.update(part)
  return mac.digest()
}

export const ed25519 = (privateKey, parts) =>
  signBytes(null, Buffer.concat(parts.map((part) => Buffer.from(part))), privateKey)

/** RFC 6979, because `node:crypto` would sign differently each time. */
export const p256Der = (privateKey, parts) =>
  Buffer.from(
    p256.sign(Buffer.concat(parts.map((part) => Buffer.from(part))), privateKey, {
      format: 'der',
      lowS: false,
    }),
  )

/** The same in the form of a JWT: r and s, 32 bytes each. */
export const p256Raw = (privateKey, parts) =>
  Buffer.from(p256.sign(Buffer.concat(parts.map((part) => Buffer.from(part))), privateKey, { lowS: false }))
