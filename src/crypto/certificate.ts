import { decodeBase64 } from '../lib/bytes.ts'
import { DER_SEQUENCE, type DerElement, derParts, readDer } from './der.ts'
import { rsaSpkiProblem } from './public-keys.ts'

/** The parts of an X.509 certificate (RFC 5280 4.1) that are used. Its issuer and names are not checked. */
export interface Certificate {
  /** The last second in which it is valid, since 1970. The start date is not compared with now: the host already serves it. */
  readonly notAfter: number
  /** The SubjectPublicKeyInfo of an RSA key that is safe to use. */
  readonly publicKey: Uint8Array<ArrayBuffer>
}

const BEGIN = '-----BEGIN CERTIFICATE-----'
const END = '-----END CERTIFICATE-----'
const VERSION = 0xa0
const UTC_TIME = 0x17
const GENERALIZED_TIME = 0x18
const TIME = /^([0-9]{4})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})Z$/

/** Reads the first certificate of a PEM file (RFC 7468 5). Otherwise says what the file is instead, and quotes nothing. */
export function readCertificate(pem: string): Certificate | string {
  const begin = pem.indexOf(BEGIN)
  const end = pem.indexOf(END, begin)
  if (begin < 0 || end < 0) return 'no certificate'
  const der = decodeBase64(pem.slice(begin + BEGIN.length, end).replaceAll(/[\r\n]/g, ''))
  const [certificate, another] = (der && readDer(der)) ?? []
  const [signedPart] = derParts(another === undefined ? certificate : undefined, DER_SEQUENCE)
  const fields = derParts(signedPart, DER_SEQUENCE)
  const [, , , validity, , publicKey] = fields[0]?.tag === VERSION ? fields.slice(1) : fields
  const [notBefore = Number.NaN, notAfter = Number.NaN] = derParts(validity, DER_SEQUENCE).map(
    certificateTime,
  )
  if (!(notBefore <= notAfter) || publicKey === undefined) return 'a malformed certificate'
  const problem = rsaSpkiProblem(publicKey.whole)
  if (problem) return `a certificate whose key is not used: ${problem}`
  return { notAfter, publicKey: publicKey.whole }
}

/** The time of a certificate, in seconds since 1970. Two-digit years mean 1950 to 2049 (RFC 5280 4.1.2.5). */
export function certificateTime({ tag, content }: DerElement): number {
  const text = String.fromCharCode(...content.subarray(0, 20))
  const century = tag === UTC_TIME ? (text < '5' ? '20' : '19') : ''
  const [all, year = '', ...rest] = TIME.exec(century + text) ?? []
  if (all === undefined || (tag !== UTC_TIME && tag !== GENERALIZED_TIME)) return Number.NaN
  const [month, day, hour, minute, second] = rest
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) / 1000
}
