import { createECDH, createPublicKey } from 'node:crypto'
import { bytesOf } from './keys.mjs'

/** A P-256 pair from a seed: the private number, and the public key as a JWK and as SPKI. */
export function p256Of(seed) {
  const privateKey = bytesOf(seed)
  const curve = createECDH('prime256v1')
  curve.setPrivateKey(privateKey)
  const point = curve.getPublicKey()
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((number) => number.toString('base64url'))
  const jwk = { kty: 'EC', crv: 'P-256', x, y }
  return {
    privateKey,
    privateJwk: { ...jwk, d: privateKey.toString('base64url') },
    jwk,
    publicKey: createPublicKey({ key: jwk, format: 'jwk' }).export({ format: 'der', type: 'spki' }),
  }
}
