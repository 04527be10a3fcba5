import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { JwtAlgorithm } from '../src/crypto/signature-keys.ts'

const RSA_BITS = 2048

/** As bytes, because Node 20 can lock up when it exports a key whose generation is just being collected. */
export const DER: {
  publicKeyEncoding: { type: 'spki'; format: 'der' }
  privateKeyEncoding: { type: 'pkcs8'; format: 'der' }
} = {
  publicKeyEncoding: { type: 'spki', format: 'der' },
  privateKeyEncoding: { type: 'pkcs8', format: 'der' },
}

/** A key that has nothing to do any more with how it was made. `DER` has to have been among the options. */
export function fromDer({ privateKey }: { readonly privateKey: unknown }): KeyObject {
  if (!Buffer.isBuffer(privateKey)) throw new TypeError('the key was not made with DER')
  return createPrivateKey({ key: privateKey, format: 'der', type: 'pkcs8' })
}

export function newPrivateKey(algorithm: JwtAlgorithm): KeyObject {
  if (algorithm === 'RS256') return fromDer(generateKeyPairSync('rsa', { modulusLength: RSA_BITS, ...DER }))
  if (algorithm === 'ES256') return fromDer(generateKeyPairSync('ec', { namedCurve: 'P-256', ...DER }))
  return fromDer(generateKeyPairSync('ed25519', DER))
}
