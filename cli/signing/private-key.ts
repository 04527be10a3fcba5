import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { SignatureAlgorithm } from '../../src/crypto/algorithms.ts'

const RSA_BITS = 2048

/** Makes keys as bytes: Node 20 can deadlock if it exports a key while the job that generated it is garbage-collected. */
export const DER = {
  publicKeyEncoding: { type: 'spki', format: 'der' },
  privateKeyEncoding: { type: 'pkcs8', format: 'der' },
} as const

/** Imports a key that was generated with the options `DER`. */
export function fromDer({ privateKey }: { readonly privateKey: unknown }): KeyObject {
  if (!Buffer.isBuffer(privateKey)) throw new TypeError('the key was not made with DER')
  return createPrivateKey({ key: privateKey, format: 'der', type: 'pkcs8' })
}

export function newPrivateKey(algorithm: SignatureAlgorithm): KeyObject {
  if (algorithm === 'EdDSA') return fromDer(generateKeyPairSync('ed25519', DER))
  if (/^[RP]S/.test(algorithm))
    return fromDer(generateKeyPairSync('rsa', { modulusLength: RSA_BITS, ...DER }))
  const namedCurve = `P-${algorithm.slice(2)}`
  return fromDer(generateKeyPairSync('ec', { namedCurve, ...DER }))
}
