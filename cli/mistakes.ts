import { createHmac, timingSafeEqual } from 'node:crypto'
import { headerOf } from '../src/delivery.ts'
import type { Delivery } from '../src/index.ts'

/** One way to do it, and what is wrong with that. The right way has nothing to say. */
interface Way<T> {
  readonly says: string
  readonly value: T
}

const MS = 1000
const DIGEST_BYTES = 32

/**
 * Why a signature does not match: signs again in the ways that senders are known to get wrong, and tells which one
 * gives the signature that was sent. The fewest mistakes first. Empty when none fits: then it is another secret or body.
 */
export function findMistakes(delivery: Delivery, secret: string): readonly string[] {
  const [timestamp, eventId, signature] = ['webhook-timestamp', 'webhook-event-id', 'webhook-signature'].map(
    (name) => String(headerOf(delivery, name) ?? ''),
  )
  if (!timestamp || !eventId || !signature) return []
  const sent = digestOf(signature)
  if (sent === undefined) return ['Webhook-Signature is not a SHA-256 digest in any common spelling']
  const { body } = delivery
  const attempts = keysOf(secret).flatMap((key) =>
    bodiesOf(body).flatMap((text) =>
      layoutsOf(timestamp, eventId, text.value).map((layout) => ({
        key: key.value,
        input: layout.value,
        says: [key.says, text.says, layout.says].filter((words) => words !== ''),
      })),
    ),
  )
  attempts.sort((a, b) => a.says.length - b.says.length)
  const found =
    attempts.find(({ key, input }) => matches(sent.value, key, input)) ??
    millisecondsOf(timestamp, eventId, body).find(({ input }) => matches(sent.value, secret, input))
  return found ? [sent.says, ...found.says].filter((words) => words !== '') : []
}

function matches(digest: Buffer, key: string | Buffer, input: readonly (string | Uint8Array)[]): boolean {
  const mac = createHmac('sha256', key)
  for (const part of input) mac.update(part)
  return timingSafeEqual(mac.digest(), digest)
}

/** The 32 bytes behind a signature, however it was spelt. */
function digestOf(signature: string): Way<Buffer> | undefined {
  const [, prefix = '', text = ''] = /^((?:v[0-9]+|sha256|hmac-sha256)[,=:])?\s*(.*)$/i.exec(signature) ?? []
  const hex = /^[0-9a-f]{64}$/i.test(text)
  if (!hex && !/^[A-Za-z0-9_+/-]{43}=?$/.test(text)) return undefined
  const value = Buffer.from(text, hex ? 'hex' : 'base64')
  const faults = [
    prefix === '' ? '' : `it has the prefix ${prefix}`,
    hex ? 'the digest is sent as hex, not base64url' : '',
    /[+/]/.test(text) ? 'the digest is sent as standard base64, not base64url' : '',
    text.endsWith('=') ? 'the digest is sent with padding (=)' : '',
  ].filter((fault) => fault !== '')
  return value.length === DIGEST_BYTES ? { says: faults.join('; '), value } : undefined
}

function keysOf(secret: string): Way<string | Buffer>[] {
  const bare = secret.replace(/^["'\s]+|["'\s]+$/g, '')
  const decoded = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return [
    { says: '', value: secret },
    { says: 'the secret was base64-decoded first; its text is the key', value: decoded },
    { says: 'the secret was hex-decoded first; its text is the key', value: Buffer.from(secret, 'hex') },
    { says: 'the secret was used with a line break at its end', value: `${secret}\n` },
    ...[bare, `"${bare}"`, `'${bare}'`, `${bare} `, ` ${bare}`].map((value) => ({
      says: 'the secret has quotes or spaces around it, on one side only',
      value,
    })),
  ]
}

function bodiesOf(body: Uint8Array): Way<Uint8Array>[] {
  const text = Buffer.from(body).toString('utf8')
  const trimmed = text.replace(/(?:\r?\n)+$/, '')
  const ways: Way<string>[] = [
    { says: 'a line break at the end of the body was signed, but not sent', value: `${text}\n` },
    { says: 'a line break at the end of the body was sent, but not signed', value: trimmed },
    { says: 'other line breaks were signed (CRLF or LF)', value: text.replaceAll('\n', '\r\n') },
    { says: 'other line breaks were signed (CRLF or LF)', value: text.replaceAll('\r\n', '\n') },
    ...printedAnew(text).map((value) => ({
      says: 'the JSON was parsed and printed anew; sign the very bytes that are sent',
      value,
    })),
    { says: 'the body was left out', value: '' },
  ]
  const others = ways.filter(({ value }) => value !== text)
  return [{ says: '', value: body }, ...others.map((way) => ({ ...way, value: Buffer.from(way.value) }))]
}

/** As JavaScript prints it, as Python does, and indented. */
function printedAnew(text: string): string[] {
  try {
    const value: unknown = JSON.parse(text)
    const spaced = JSON.stringify(value, undefined, 1)
      .replace(/\n\s*(?=[\]}])/g, '')
      .replace(/([[{])\n\s*/g, '$1')
      .replace(/,\n\s*/g, ', ')
    return [
      JSON.stringify(value),
      spaced,
      JSON.stringify(value, undefined, 2),
      JSON.stringify(value, undefined, 4),
    ]
  } catch {
    return []
  }
}

function layoutsOf(timestamp: string, eventId: string, body: Uint8Array): Way<(string | Uint8Array)[]>[] {
  const says = (order: string) => `signed was ${order}, not timestamp.eventId.body`
  return [
    { says: '', value: [`${timestamp}.${eventId}.`, body] },
    {
      says: says('eventId.timestamp.body (the order of Standard Webhooks)'),
      value: [`${eventId}.${timestamp}.`, body],
    },
    { says: says('timestamp.body'), value: [`${timestamp}.`, body] },
    { says: says('eventId.body'), value: [`${eventId}.`, body] },
    { says: says('the body alone'), value: [body] },
    { says: says('the three without periods'), value: [`${timestamp}${eventId}`, body] },
    {
      says: 'the event ID was signed in lower case',
      value: [`${timestamp}.${eventId.toLowerCase()}.`, body],
    },
    {
      says: 'the event ID was signed in upper case',
      value: [`${timestamp}.${eventId.toUpperCase()}.`, body],
    },
  ]
}

/** Milliseconds were signed and seconds sent: which ones is not known, but there are only a thousand. */
function millisecondsOf(timestamp: string, eventId: string, body: Uint8Array) {
  const says = ['the timestamp was signed in milliseconds']
  return Array.from({ length: MS }, (_, ms) => ({
    says,
    input: [`${timestamp}${`${ms}`.padStart(3, '0')}.${eventId}.`, body],
  }))
}
