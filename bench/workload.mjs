// The deliveries: access events of an exact size, signed for every verifier.
import { createHmac, randomUUID } from 'node:crypto'

export const SECRET = 'x3JTZLHjE1y2Ljdk2aJqwHt6yqBHcDVdYtpVE7Ma9xs'
export const now = () => Math.floor(Date.now() / 1000)
export const SIZES = [256, 1024, 8192, 65_536]
export const CIDRS = ['192.168.0.0/16', '10.0.0.0/8']
export const ENDPOINT = { subject: 'https://tenant.example', audience: 'https://api.example/hook' }

/** Whether a peer's verifier accepts: it throws if not. */
export function answers(work) {
  try {
    work()
    return true
  } catch {
    return false
  }
}

/** JSON of exactly `size` bytes, with about 25 bytes per value, because its shape decides the parsing cost. */
export function bodyOf(size, serial) {
  const events = []
  let length = '{"events":[],"pad":""}'.length
  for (let at = 1_790_000_000 + serial; ; at += 1) {
    const event = { user: `u${at % 1000}`, at, ok: at % 3 === 0, role: 'admin' }
    length += JSON.stringify(event).length + 1
    if (length > size) break
    events.push(event)
  }
  const short = JSON.stringify({ events, pad: '' })
  return Buffer.from(JSON.stringify({ events, pad: 'x'.repeat(size - short.length) }))
}

/** Copies a string, because those of `randomUUID` and digests may retain a larger one. */
export const flat = (text) => Buffer.from(text).latin1Slice()
const mac = (...parts) => parts.reduce((hmac, part) => hmac.update(part), createHmac('sha256', SECRET))

/** One delivery, in the form of hookgate and of each peer. */
export function signedDelivery(size, serial, { timestamp = `${now()}`, body = bodyOf(size, serial) } = {}) {
  const eventId = flat(randomUUID())
  const headers = {
    'content-type': 'application/json',
    'webhook-timestamp': timestamp,
    'webhook-event-id': eventId,
    'webhook-signature': flat(mac(`${timestamp}.${eventId}.`, body).digest('base64url')),
  }
  return Object.assign(deliveryOf(headers, body), {
    eventId,
    standard: {
      'webhook-id': eventId,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${flat(mac(`${eventId}.${timestamp}.`, body).digest('base64'))}`,
    },
    stripe: `t=${timestamp},v1=${flat(mac(`${timestamp}.`, body).digest('hex'))}`,
    octokit: `sha256=${flat(mac(body).digest('hex'))}`,
  })
}

/**
 * The argument of `verify()`, with the peers' properties assigned to it. Spreading an object on Node 20 would make a
 * new hidden class, so that property access misses its cache.
 */
export function deliveryOf(headers, body) {
  return { method: 'POST', headers, header: (name) => headers[name], body, sourceIp: '10.1.2.3' }
}

/** The same delivery with one byte of its body changed. It is still JSON. */
export function tampered(delivery) {
  const body = Buffer.from(delivery.body)
  const digit = body.indexOf('"at":') + 5
  body[digit] = body[digit] === 0x31 ? 0x32 : 0x31
  const { headers, eventId, standard, stripe, octokit } = delivery
  return Object.assign(deliveryOf(headers, body), { eventId, standard, stripe, octokit })
}
