import { type DeliveryDraft, makeOdd } from './delivery-draft.ts'
import { hmacSender, type Sender } from './hmac-sender.ts'
import { jwtSender } from './jwt-sender.ts'
import type { Line } from './lines.ts'
import { BIG_BODIES, ODD_BODIES } from './odd-bodies.ts'
import { ODD_HEADERS, ODD_SIGNED_HEADERS } from './odd-headers.ts'
import { ODD_SOURCES, someNetworks } from './odd-sources.ts'
import { type Random, randomFrom } from './random.ts'

const START_MS = 1_790_000_000_000
const DELIVERIES_PER_LISTENER = 25
const BODIES = ['{"a":1}', '{}', '[1,2,3]', '"Zoë 🙂"', '0', '{ "name" : "x" ,\n"total":1.0 }', 'null']

/** This many deliveries on listeners of all kinds, and the ends of their handlers. The seed decides everything. */
export function makeBatch(seed: number, deliveries: number): readonly Line[] {
  const random = randomFrom(seed)
  const lines: Line[] = []
  let nowMs = START_MS + random.below(1000)
  for (let made = 0; made < deliveries; made += DELIVERIES_PER_LISTENER) {
    const count = Math.min(DELIVERIES_PER_LISTENER, deliveries - made)
    nowMs = addListener(lines, random, nowMs, count)
  }
  return lines
}

function addListener(lines: Line[], random: Random, startMs: number, deliveries: number): number {
  const sender = random.chance(0.4) ? hmacSender(random) : jwtSender(random)
  const { address, ...networks } = someNetworks(random)
  const id = random.chance(0.02) ? random.pick(['', '\ud800', 'é', 'L1:', '1:L']) : random.pick(['L1', 'L2'])
  lines.push({ listener: { id, store: random.below(4), ...networks, ...sender.setup } })
  const seen: string[] = []
  const unsettled: number[] = []
  let nowMs = startMs
  for (let place = 0; place < deliveries; place++) {
    const draft = someDelivery(sender, seen, random, nowMs, address)
    const { method, headers, sourceIp } = draft
    const source = sourceIp === undefined ? {} : { sourceIp }
    const body = draft.body.toString('base64')
    lines.push({ deliver: { method, headers: { ...headers }, body, ...source }, nowMs, odd: draft.odd })
    unsettled.push(place)
    nowMs += timeThatPasses(random)
    if (random.chance(0.6)) nowMs = settle(lines, unsettled, random, nowMs)
  }
  return nowMs
}

/** Times on either side of a lease and of the retention, but mostly a moment. */
function timeThatPasses(random: Random): number {
  if (random.chance(0.95)) return random.below(400)
  return random.pick([59_999, 60_000, 60_001, 30_000, 301_000, 604_799_999, 604_800_000, 604_800_001])
}

function settle(lines: Line[], unsettled: number[], random: Random, nowMs: number): number {
  const at = random.chance(0.7) ? unsettled.length - 1 : random.below(unsettled.length)
  const [place] = unsettled.splice(at, 1)
  if (place === undefined) return nowMs
  lines.push({ settle: place, verb: random.chance(0.7) ? 'commit' : 'release', nowMs })
  return nowMs + timeThatPasses(random)
}

function someDelivery(
  sender: Sender,
  seen: string[],
  random: Random,
  nowMs: number,
  address: string | undefined,
): DeliveryDraft {
  const now = Math.floor(nowMs / 1000)
  const eventId = seen.length > 0 && random.chance(0.3) ? random.pick(seen) : random.uuid()
  seen.push(eventId)
  const draft: DeliveryDraft = {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-timestamp': `${now}`,
      'webhook-event-id': random.chance(0.1) ? eventId.toUpperCase() : eventId,
    },
    body: Buffer.from(random.pick(BODIES)),
    odd: [],
    ...(address !== undefined && { sourceIp: address }),
  }
  oddBefore(draft, random, now)
  sender.sign(draft, random, now)
  if (random.chance(0.15)) makeOdd(draft, ODD_HEADERS, random, now)
  return draft
}

function oddBefore(draft: DeliveryDraft, random: Random, now: number): void {
  if (random.chance(0.12)) makeOdd(draft, ODD_BODIES, random, now)
  if (random.chance(0.004)) makeOdd(draft, BIG_BODIES, random, now)
  if (random.chance(0.1)) makeOdd(draft, ODD_SIGNED_HEADERS, random, now)
  if (random.chance(draft.sourceIp === undefined ? 0.02 : 0.3)) makeOdd(draft, ODD_SOURCES, random, now)
}
