import { type Delivery, fieldText, headerOf } from '../delivery.ts'
import { decodeHex, ENCODE } from '../lib/bytes.ts'
import type { Algorithm, Scheme, SignatureSpelling } from '../scheme.ts'
import { headerTitle } from './expected-sender.ts'

/** ECDSA and RSA are left out: their signatures have no fixed length. */
const BYTES: Partial<Record<Algorithm, number>> = {
  'hmac-sha1': 20,
  'hmac-sha256': 32,
  'hmac-sha384': 48,
  'hmac-sha512': 64,
  ed25519: 64,
}
const VERSION = /^(?:v[0-9]{1,3}[a-z]?|h[0-9]{1,3}|(?:hmac-)?sha[0-9]{1,4})[,=:]/i
const LONGEST_VALUE = 4096

/**
 * Respells the signature headers of a delivery as the scheme does, and says what was wrong. Returns a sentence if they are of
 * another version of the scheme, or no signatures at all: nothing that was signed can match them.
 */
export function signatureForm(
  delivery: Delivery,
  { sender, signature, algorithm, timestamp }: Scheme,
): { readonly headers: { readonly [name: string]: string }; readonly faults: readonly string[] } | string {
  const headers: { [name: string]: string } = {}
  const faults = new Set<string>()
  const length = BYTES[algorithm]
  const { spelling, prefix = '', separator = '' } = signature
  if (length === undefined || spelling === undefined) return { headers, faults: [] }
  for (const name of signature.headers) {
    // A web runtime reports a value that contains `, ` as repeated.
    const value = /[, ]/.test(separator) ? fieldText(delivery, name) : headerOf(delivery, name)
    if (typeof value !== 'string' || value.length > LONGEST_VALUE) continue
    const text = separator === ' ' ? value.replace(/, (?=v[0-9])/g, ' ') : value // as it is read
    const tight = text.replace(/(?<=[,;]) +/g, '')
    const parts = separator === '' ? [tight] : tight.split(separator.charAt(0))
    const items = parts.map((item) => item.trim())
    const time = timestamp && 'item' in timestamp ? timestamp.item : undefined
    const isTime = (item: string, at: number) =>
      time === '' ? at === 0 : time !== undefined && item.startsWith(time)
    const signatures = items.filter((item, at) => !isTime(item, at))
    const expected = signatures.filter((item) => item.startsWith(prefix))
    const version = VERSION.exec(signatures[0] ?? '')?.[0]
    if (prefix !== '' && expected.length === 0 && version !== undefined) {
      return `${headerTitle(name)} has no ${prefix} signature, only ${version}: only ${prefix} is verified, so check which version is sent to this listener`
    }
    const read = (expected.length > 0 ? expected : signatures).map((item) => readDigest(item, prefix, length))
    const found = read.find((each) => each !== undefined)
    if (found === undefined)
      return `${headerTitle(name)} is not a signature in any common encoding: ${shapeOf(algorithm)} is expected`
    for (const fault of faultsOf(found, spelling, prefix)) faults.add(fault)
    if (tight !== text && separator !== ', ')
      faults.add(
        `${headerTitle(name)} has a blank behind a comma or semicolon that ${sender} does not write: find what changes headers in front of this listener`,
      )
    if (faults.size === 0) continue
    const times = items.filter(isTime)
    headers[name] = [...times, prefix + ENCODE[spelling](found.bytes)].join(separator)
  }
  return { headers, faults: [...faults] }
}

const shapeOf = (algorithm: Algorithm) =>
  algorithm === 'ed25519'
    ? 'an Ed25519 signature'
    : `an HMAC ${algorithm.slice(5).toUpperCase().replace('SHA', 'SHA-')} digest`

/** `text` has the digits as they came. */
function readDigest(item: string, prefix: string, length: number) {
  const found = prefix !== '' && item.startsWith(prefix) ? prefix : (VERSION.exec(item)?.[0] ?? '')
  const text = item.slice(found.length).trim()
  const isHex = text.length === length * 2 && /^[0-9a-f]+$/i.test(text)
  if (!isHex && !/^[A-Za-z0-9_+/-]+={0,2}$/.test(text)) return undefined
  const bytes = isHex ? decodeHex(text.toLowerCase()) : bytesOfBase64(text)
  return bytes?.length === length ? { bytes, text, prefix: found, isHex } : undefined
}

function faultsOf(
  { text, prefix, isHex, bytes }: NonNullable<ReturnType<typeof readDigest>>,
  spelling: SignatureSpelling,
  expected: string,
): readonly string[] {
  const faults: string[] = []
  if (prefix !== expected) {
    const fault =
      expected === '' ? `has the prefix ${prefix}: remove it` : `lacks the prefix ${expected}: add it`
    faults.push(`the signature ${fault}`)
  }
  if (text === ENCODE[spelling](bytes)) return faults
  const isHexExpected = spelling.endsWith('hex')
  if (isHex && isHexExpected) {
    faults.push(`the digest is sent in ${spelling === 'hex' ? 'upper' : 'lower'} case`)
  } else if (isHex) faults.push(`the digest is sent as hex, not ${spelling}`)
  else if (isHexExpected) faults.push('the digest is sent as base64, not hex')
  else {
    const isUrl = spelling === 'base64url'
    const [wrong, right] = isUrl ? ['standard base64', spelling] : ['base64url', 'standard base64']
    if ((isUrl ? /[+/]/ : /[-_]/).test(text)) faults.push(`the digest is sent as ${wrong}, not ${right}`)
    if (text.endsWith('=') === isUrl) {
      faults.push(`the digest is sent ${isUrl ? 'with' : 'without'} padding (=)`)
    }
  }
  return faults
}

/** Decodes leniently: either alphabet, padded or not, skipping stray characters. */
export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  const [digits = ''] = text
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/[^A-Za-z0-9+/=]/g, '')
    .split('=', 1)
  const whole = digits.length % 4 === 1 ? digits.slice(0, -1) : digits
  return Uint8Array.from(atob(whole), (character) => character.charCodeAt(0))
}
