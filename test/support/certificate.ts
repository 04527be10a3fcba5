import type { JWK } from 'jose'
import { der, integer, sequence } from './der.ts'

const RSA_ENCRYPTION = '2a864886f70d010101'
const NULL = der(0x05, '')
const NAME = sequence(der(0x31, sequence(der(0x06, '550403'), der(0x0c, Buffer.from('test only')))))

/** How a certificate differs from an ordinary one. */
export interface CertificateParts {
  /** As in the certificate, e.g. `200101000000Z`. */
  readonly notBefore?: string
  readonly notAfter?: string
  /** The whole SubjectPublicKeyInfo. */
  readonly publicKey?: Uint8Array
  /** Rewrites the whole DER. */
  readonly rewrite?: (certificate: Buffer) => Uint8Array
}

/**
 * An X.509 certificate of an RSA key, as PEM. Its own signature is zeros, because no code under test follows chains.
 */
export function certificateOf(key: JWK, parts: CertificateParts = {}): string {
  const { notBefore = '200101000000Z', notAfter = '20991231235959Z', rewrite = (bytes) => bytes } = parts
  const algorithm = sequence(der(0x06, RSA_ENCRYPTION), NULL)
  const toBeSigned = sequence(
    der(0xa0, der(0x02, '02')),
    der(0x02, '01'),
    algorithm,
    NAME,
    sequence(time(notBefore), time(notAfter)),
    NAME,
    parts.publicKey ?? rsaPublicKey(key),
  )
  return toPem(rewrite(sequence(toBeSigned, algorithm, der(0x03, Buffer.alloc(257)))))
}

/** The SubjectPublicKeyInfo (RFC 3279 2.3.1). */
export function rsaPublicKey({ n = '', e = '' }: JWK): Buffer {
  const numbers = [n, e].map((number) => integer(Buffer.from(number, 'base64url')))
  const bits = Buffer.concat([Buffer.alloc(1), sequence(...numbers)])
  return sequence(sequence(der(0x06, RSA_ENCRYPTION), NULL), der(0x03, bits))
}

export function toPem(bytes: Uint8Array): string {
  const lines = Buffer.from(bytes)
    .toString('base64')
    .replace(/.{1,64}/g, '$&\n')
  return `-----BEGIN CERTIFICATE-----\n${lines}-----END CERTIFICATE-----\n`
}

/** UTCTime has two digits for the year, GeneralizedTime four. */
function time(text: string): Buffer {
  return der(text.length === 13 ? 0x17 : 0x18, Buffer.from(text))
}
