import { constantTimeEqual, hmacWith } from '#crypto'
import type { Mac } from '../crypto/algorithms.ts'
import { type Delivery, headerOf } from '../delivery.ts'
import { decodeHex } from '../lib/bytes.ts'
import { bytesOfBase64, readDigest } from './digest-text.ts'

/** One way in which the signature may have been computed, and every mistake in it. */
interface Attempt {
  readonly mac: Mac
  readonly prefix: string
  readonly body: Uint8Array
  readonly says: readonly string[]
}

const MS = 1000

/**
 * Finds why an `hmac()` signature does not match: signs again with the mistakes that senders are known to
 * make, and returns those that give the received signature. Tries the fewest mistakes first. Empty if none
 * fits.
 */
export async function findMistakes(delivery: Delivery, secret: string): Promise<readonly string[]> {
  const [timestamp = '', eventId = '', signature = ''] = [
    'webhook-timestamp',
    'webhook-event-id',
    'webhook-signature',
  ].map((name) => String(headerOf(delivery, name) ?? ''))
  if (!timestamp || !eventId || !signature) return []
  const sent = readDigest(signature)
  if (sent === undefined) return ['Webhook-Signature is not a SHA-256 digest in any common spelling']
  const attempts = attemptsAt(delivery.body, timestamp, eventId, secret)
  for (const { mac, prefix, body, says } of attempts) {
    if (constantTimeEqual(await mac(prefix, body, ''), sent.canonical)) return [...sent.faults, ...says]
  }
  return []
}

function attemptsAt(
  body: Uint8Array,
  timestamp: string,
  eventId: string,
  secret: string,
): readonly Attempt[] {
  const keys = keysOf(secret).map(({ says, value }) => ({
    says,
    mac: hmacWith('sha256', value, 'base64url'),
  }))
  const bodies = bodiesOf(body)
  const attempts = keys.flatMap(({ says: ofKey, mac }) =>
    bodies.flatMap(({ says: ofBody, value }) =>
      prefixesOf(timestamp, eventId).map(({ says: ofPrefix, value: prefix }) => ({
        mac,
        prefix,
        body: value,
        says: [ofKey, ofBody, ofPrefix].filter((words) => words !== ''),
      })),
    ),
  )
  attempts.sort((a, b) => a.says.length - b.says.length)
  return [...attempts, ...inMilliseconds(body, timestamp, eventId, keys[0]?.mac)]
}

/** Milliseconds were signed and seconds sent. The lost digits are unknown, but there are only a thousand to try. */
function inMilliseconds(
  body: Uint8Array,
  timestamp: string,
  eventId: string,
  mac: Mac | undefined,
): Attempt[] {
  if (mac === undefined) return []
  const says = ['the timestamp was signed in milliseconds']
  return Array.from({ length: MS }, (_, ms) => ({
    mac,
    prefix: `${timestamp}${`${ms}`.padStart(3, '0')}.${eventId}.`,
    body,
    says,
  }))
}

/** One way to sign, and what is wrong with it. `says` is empty for the correct way. */
interface Way<Value> {
  readonly says: string
  readonly value: Value
}

const encoder = new TextEncoder()

/** The keys that senders derive from a secret. */
function keysOf(secret: string): readonly Way<Uint8Array>[] {
  const bare = secret.replace(/^["'\s]+|["'\s]+$/g, '')
  const ways: Way<Uint8Array>[] = [
    { says: '', value: encoder.encode(secret) },
    {
      says: 'the secret was base64-decoded first; its text is the key',
      value: bytesOfBase64(secret.replace(/^whsec_/, '')),
    },
    {
      says: 'the secret was hex-decoded first; its text is the key',
      value: decodeHex(secret.toLowerCase()) ?? new Uint8Array(),
    },
    {
      says: 'the secret was used with a line break at its end',
      value: encoder.encode(`${secret}\n`),
    },
    ...[bare, `"${bare}"`, `'${bare}'`, `${bare} `, ` ${bare}`].map((text) => ({
      says: 'the secret has quotes or spaces around it, on one side only',
      value: encoder.encode(text),
    })),
  ]
  return ways.filter(({ value }) => value.length > 0) // no runtime signs with an empty key
}

/** The bodies that senders sign in place of the one that arrived. */
function bodiesOf(body: Uint8Array): readonly Way<Uint8Array>[] {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(body)
  const ways: readonly Way<string>[] = [
    { says: 'a line break at the end of the body was signed, but not sent', value: `${text}\n` },
    {
      says: 'a line break at the end of the body was sent, but not signed',
      value: text.replace(/(?<![\r\n])[\r\n]+$/, ''),
    },
    { says: 'other line breaks were signed (CRLF or LF)', value: text.replaceAll('\n', '\r\n') },
    { says: 'other line breaks were signed (CRLF or LF)', value: text.replaceAll('\r\n', '\n') },
    ...printedAnew(text).map((value) => ({
      says: 'the JSON was parsed and serialised again; sign exactly the bytes that are sent',
      value,
    })),
    { says: 'the body was left out', value: '' },
  ]
  const others = ways.filter(({ value }) => value !== text)
  return [{ says: '', value: body }, ...others.map((way) => ({ ...way, value: encoder.encode(way.value) }))]
}

/** Serialised as in JavaScript, as in Python, and indented. */
function printedAnew(text: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(text)
    const spaced = JSON.stringify(value, undefined, 1)
      .replace(/\n *(?=[\]}])/g, '')
      .replace(/([[{])\n */g, '$1')
      .replace(/,\n */g, ', ')
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

/** What senders put before the body. Each character is one byte. */
function prefixesOf(timestamp: string, eventId: string): readonly Way<string>[] {
  const says = (order: string) => `signed was ${order}, not timestamp.eventId.body`
  return [
    { says: '', value: `${timestamp}.${eventId}.` },
    {
      says: says('eventId.timestamp.body (the order of Standard Webhooks)'),
      value: `${eventId}.${timestamp}.`,
    },
    { says: says('timestamp.body'), value: `${timestamp}.` },
    { says: says('eventId.body'), value: `${eventId}.` },
    { says: says('the body alone'), value: '' },
    { says: says('the three without periods'), value: `${timestamp}${eventId}` },
    { says: 'the event ID was signed in lower case', value: `${timestamp}.${eventId.toLowerCase()}.` },
    { says: 'the event ID was signed in upper case', value: `${timestamp}.${eventId.toUpperCase()}.` },
  ]
}
