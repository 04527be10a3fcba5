// verify() with an HMAC listener (every check, two CIDR rules, memory store) against the floor: the hash, JSON.parse, a
// constant-time comparison, two regular expressions and one Map insert, written by hand. Interleaved rounds; a ratio is
// the median of the rounds' ratios:
//   npm run build && node bench/hmac.mjs
import { createHmac, hash, randomUUID, timingSafeEqual } from 'node:crypto'
import { defineListener, hmac, verify } from 'hookgate'
import { memoryStore } from 'hookgate/stores/memory'
import { median, timed } from './rounds.mjs'

const SECRET = 'x3JTZLHjE1y2Ljdk2aJqwHt6yqBHcDVdYtpVE7Ma9xs'
const SIZES = [256, 1024, 8192, 65_536]
const ROUNDS = 40
const NOW = Math.floor(Date.now() / 1000)
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i
const SECONDS = /^[0-9]{1,12}$/

/** Access events, about 25 bytes a value, as JSON of exactly `size` bytes. */
function bodyOf(size) {
  const events = []
  while (JSON.stringify({ events, pad: '' }).length < size - 60) {
    events.push({ user: `u${events.length}`, at: NOW + events.length, ok: true, role: 'admin' })
  }
  const short = JSON.stringify({ events, pad: '' })
  return Buffer.from(JSON.stringify({ events, pad: 'x'.repeat(size - short.length) }))
}

function deliveriesOf(size, count) {
  const body = bodyOf(size)
  return Array.from({ length: count }, () => {
    const [eventId, timestamp] = [Buffer.from(randomUUID()).latin1Slice(), `${NOW}`]
    const signature = createHmac('sha256', SECRET).update(`${timestamp}.${eventId}.`).update(body)
    const headers = {
      'content-type': 'application/json',
      'webhook-timestamp': timestamp,
      'webhook-event-id': eventId,
      'webhook-signature': Buffer.from(signature.digest('base64url')).latin1Slice(),
    }
    return { method: 'POST', headers, header: (name) => headers[name], body, sourceIp: '10.1.2.3' }
  })
}

const inner = Buffer.alloc(64 + 256 + 65_536)
const outer = Buffer.alloc(96)
for (const [block, pad] of [
  [inner, 0x36],
  [outer, 0x5c],
]) {
  for (let index = 0; index < 64; index += 1) block[index] = (SECRET.charCodeAt(index) || 0) ^ pad
}
const [left, right] = [Buffer.alloc(43), Buffer.alloc(43)]

function floor({ headers, body }, seen) {
  const timestamp = headers['webhook-timestamp']
  const eventId = headers['webhook-event-id']
  if (!SECONDS.test(timestamp) || Math.abs(NOW - Number(timestamp)) > 300 || !UUID_V4.test(eventId))
    return 400
  const prefix = `${timestamp}.${eventId}.`
  inner.latin1Write(prefix, 64)
  body.copy(inner, 64 + prefix.length)
  outer.latin1Write(hash('sha256', inner.subarray(0, 64 + prefix.length + body.length), 'binary'), 64)
  left.latin1Write(hash('sha256', outer, 'base64url'))
  right.latin1Write(headers['webhook-signature'])
  if (!timingSafeEqual(left, right)) return 401
  JSON.parse(body.latin1Slice())
  if (seen.has(eventId)) return 409
  seen.set(eventId, NOW)
  return 200
}

for (const size of SIZES) {
  const deliveries = deliveriesOf(size, Math.ceil(5_000_000 / (size + 800)))
  const ratios = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const seen = new Map()
    const auth = hmac({ secrets: { id: 'main', secret: SECRET } })
    const allowedCidrs = ['192.168.0.0/16', '10.0.0.0/8']
    const listener = defineListener({ id: 'bench', auth, store: memoryStore(), allowedCidrs })
    const bare = await timed(() => {
      for (const delivery of deliveries)
        if (floor(delivery, seen) !== 200) throw new Error('the floor refused')
    })
    const ours = await timed(async () => {
      for (const delivery of deliveries) {
        const verdict = await verify(delivery, listener)
        if (!verdict.ok) throw new Error(verdict.detail)
      }
    })
    if (round > 9) ratios.push(ours / bare)
  }
  console.log(`${size} bytes: ${median(ratios).toFixed(2)} x the floor`)
}
