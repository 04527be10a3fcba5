import { constantTimeEqual, hmacWith } from '#crypto'
import type { Mac } from '../crypto/mac.ts'
import { type Delivery, headerOf } from '../delivery.ts'
import { readDigest } from './digest-text.ts'
import { bodiesOf, keysOf, prefixesOf } from './signed-ways.ts'

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
