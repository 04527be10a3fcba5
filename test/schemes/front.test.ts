import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { replyTo } from '../../src/index.ts'
import { front } from '../../src/schemes/front.ts'
import { frontRules } from '../../src/schemes/front-rules.ts'
import { fakeClock } from '../support/clock.ts'
import { DUPLICATE, MISMATCH, schemeReceiver } from '../support/scheme-receiver.ts'

const SECRET = 'a signing key of this test'
const EVENT =
  '{"type":"inbound_received","authorization":{"id":"cmp_abc"},"payload":{"id":"evt_1","type":"inbound"}}'
const SYNC = '{"type":"sync","authorization":{"id":"cmp_abc"}}'

const clock = fakeClock()
const json = { 'content-type': 'application/json' }

function signed(body: string, more: { readonly [name: string]: string } = {}) {
  const time = `${clock.seconds()}000`
  const signature = createHmac('sha256', SECRET).update(`${time}:${body}`).digest('base64')
  return {
    headers: { ...json, 'x-front-request-timestamp': time, 'x-front-signature': signature, ...more },
    body,
  }
}

const receiver = () => schemeReceiver(front({ secrets: SECRET }), clock)

describe("Front's challenge", () => {
  it('the challenge of a signed sync is answered', async () => {
    const verdict = await receiver().receive(signed(SYNC, { 'x-front-challenge': 'c7Zt0pXbZ1' }))
    if (verdict.ok) throw new Error('the challenge reached the handler')
    expect(replyTo(verdict)).toMatchObject({ status: 200, body: '{"challenge":"c7Zt0pXbZ1"}' })
  })

  it('a challenge that is added to an event on the way does not keep it from the handler', async () => {
    const { receive } = receiver()
    const verdict = await receive(signed(EVENT, { 'x-front-challenge': 'added' }))
    expect(verdict).toMatchObject({ ok: true, event: { id: 'evt_1', type: 'inbound_received' } })
    if (verdict.ok) await verdict.event.commit()
    expect(await receive(signed(EVENT, { 'x-front-challenge': 'added' }))).toMatchObject(DUPLICATE)
  })

  it('a challenge that is unsigned, or as long as no challenge is, is not answered', async () => {
    const unsigned = { headers: { ...json, 'x-front-challenge': 'c7Zt0pXbZ1' }, body: SYNC }
    expect(await receiver().receive(unsigned)).toMatchObject({ ok: false, status: 400 })
    const long = await receiver().receive(signed(SYNC, { 'x-front-challenge': 'c'.repeat(1025) }))
    expect(long.ok || long.handshake !== true).toBe(true)
  })
})

describe("Front's two kinds of webhooks", () => {
  const rule = '{"id":"evt_1","type":"assign"}'
  const signature = createHmac('sha1', SECRET).update(rule).digest('base64')
  const asRule = { headers: { ...json, 'x-front-signature': signature }, body: rule }

  it('a rule webhook is accepted by frontRules, and never by front', async () => {
    const rules = schemeReceiver(frontRules({ secrets: SECRET }), clock)
    expect(await rules.receive(asRule)).toMatchObject({ ok: true, event: { id: 'evt_1', type: 'assign' } })
    expect((await receiver().receive(asRule)).ok).toBe(false)
    const timed = { ...asRule, headers: { ...asRule.headers, 'x-front-request-timestamp': `${clock.now()}` } }
    expect(await receiver().receive(timed)).toMatchObject(MISMATCH)
  })

  it('an application webhook is refused by frontRules, even with the same secret', async () => {
    const rules = schemeReceiver(frontRules({ secrets: SECRET }), clock)
    expect(await rules.receive(signed(EVENT))).toMatchObject(MISMATCH)
  })
})
