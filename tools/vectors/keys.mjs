import { createHash, createPrivateKey, createPublicKey } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** Bytes that are the same in every run. */
export const bytesOf = (seed, length = 32) => createHash('sha512').update(seed).digest().subarray(0, length)

/** A secret as a sender would issue it. `new` and `old` are configured, `foreign` belongs to another account. */
export function secretsOf(scheme, form = (bytes) => bytes.toString('hex')) {
  const make = (which) => form(bytesOf(`${scheme}/${which}`), which)
  return { new: make('new'), old: make('old'), foreign: make('foreign') }
}

/** Both secrets, as a listener has them while one replaces the other. */
export const bothOf = (keys) => [
  { id: 'new', secret: keys.new },
  { id: 'old', secret: keys.old },
]

export const whsec = (bytes) => `whsec_${bytes.toString('base64')}`

/** The bytes of a `whsec_` secret. */
export const decoded = (secret) => Buffer.from(secret.slice('whsec_'.length), 'base64')

const ED25519_PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/** An Ed25519 key pair from a seed. `publicKey` is its 32 bytes. */
export function ed25519Of(seed) {
  const key = Buffer.concat([ED25519_PKCS8, bytesOf(seed)])
  const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' })
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32)
  return { privateKey, publicKey, privateJwk: privateKey.export({ format: 'jwk' }) }
}

const pem = (name) => readFileSync(new URL(`rsa/${name}.pem`, import.meta.url), 'utf8')

/** An RSA pair with its certificate: `sender` or `foreign`. Stored, because RSA keys cannot be made from a seed. */
export const rsaOf = (name) => ({
  privateKey: createPrivateKey(pem(`${name}.key`)),
  certificate: pem(`${name}.cert`),
})
