import { decodeBase64url } from '#crypto'
import { encodeBase64url, encodeHex, encodeUtf8 } from '../lib/bytes.ts'
import type { Reason } from '../reason.ts'
import { EVENT_ID_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER } from '../specification.ts'
import { header, type MutatedRequest, type WrongRequest, withHeader } from './wrong-requests.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const SPACE = 0x20

function bytesOf(text: string): Uint8Array {
  return decodeBase64url(text) ?? new Uint8Array()
}

/** Flips one bit of the first byte. */
function flipped(text: string): string {
  const [first = 0, ...rest] = bytesOf(text)
  return encodeBase64url(Uint8Array.of(first ^ 1, ...rest))
}

/** Another encoding of the same bytes: changes the unused bits of the last character. */
function respelt(text: string): string {
  return text.slice(0, -1) + ALPHABET.charAt(ALPHABET.indexOf(text.slice(-1)) ^ 1)
}

function rewritten(field: string, reason: Reason) {
  return (name: string, change: (text: string) => string): WrongRequest => ({
    name,
    reason,
    change: (request) => withHeader(request, field, change(request.headers[field] ?? '')),
  })
}

/** Requests whose signed parts were changed after signing. */
function afterSigning(reason: Reason): readonly WrongRequest[] {
  const spaced = (request: MutatedRequest) => ({ ...request, body: Uint8Array.of(...request.body, SPACE) })
  return [
    { name: 'a body with one byte more than was signed', reason, change: spaced },
    rewritten(EVENT_ID_HEADER, reason)('the event ID of another event', () => crypto.randomUUID()),
  ]
}

function missing(field: string): readonly WrongRequest[] {
  return [
    header('no signature', field, undefined, 'auth_missing'),
    header('an empty signature', field, '', 'auth_missing'),
  ]
}

const signature = rewritten(SIGNATURE_HEADER, 'signature_mismatch')

/** Ways in which `Webhook-Signature` is wrong. */
export const WRONG_MACS: readonly WrongRequest[] = [
  ...missing(SIGNATURE_HEADER),
  signature('a signature with one bit changed', flipped),
  signature('a signature in another spelling of the same bytes', respelt),
  signature('a signature with padding', (text) => `${text}=`),
  signature('a signature in hexadecimal', (text) => encodeHex(bytesOf(text))),
  signature('a signature prefixed with sha256=', (text) => `sha256=${text}`),
  signature('a signature behind v1,', (text) => `v1,${text}`),
  signature('a signature that lacks its end', (text) => text.slice(0, -1)),
  signature('two signatures in one header', (text) => `${text},${text}`),
  ...afterSigning('signature_mismatch'),
  rewritten(TIMESTAMP_HEADER, 'signature_mismatch')(
    'a timestamp one second later than was signed',
    (text) => `${Number(text) + 1}`,
  ),
]

const token = rewritten('authorization', 'token_invalid')
const segment = (at: number, change: (text: string) => string) => (text: string) =>
  text
    .split('.')
    .map((part, index) => (index === at ? change(part) : part))
    .join('.')
const NO_ALGORITHM = encodeBase64url(encodeUtf8('{"alg":"none","typ":"JWT"}'))

/** Ways in which a token is wrong. */
export const WRONG_TOKENS: readonly WrongRequest[] = [
  ...missing('authorization'),
  token('a token with one bit of its signature changed', segment(2, flipped)),
  token('a token with padding', (text) => `${text}=`),
  token(
    'a token without a signature',
    segment(2, () => ''),
  ),
  token(
    'a token with the algorithm none',
    (text) => `Bearer ${segment(0, () => NO_ALGORITHM)(text.slice(7))}`,
  ),
  token('a token of four segments', (text) => `${text}.AAAA`),
  token('a token of two segments', (text) => text.slice(0, text.lastIndexOf('.'))),
  token('a token without Bearer', (text) => text.slice('Bearer '.length)),
  token('a token behind Basic', (text) => text.replace('Bearer', 'Basic')),
  ...afterSigning('token_invalid'),
]
