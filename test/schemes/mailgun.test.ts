import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/lib/json.ts'
import { mailgun } from '../../src/schemes/mailgun.ts'
import { signAs } from '../../src/testing/index.ts'
import { DUPLICATE, MISMATCH, schemeReceiver } from '../support/scheme-receiver.ts'

const SECRET = 'a signing key'
const HEADERS = { 'content-type': 'application/json' }

function bodyOf(
  timestamp: string,
  token = 'a'.repeat(50),
  event: object = { event: 'delivered', id: 'one' },
) {
  const signature = createHmac('sha256', SECRET)
    .update(timestamp + token)
    .digest('hex')
  return { signature: { timestamp, token, signature }, 'event-data': event }
}

function receiver() {
  const { clock, receive } = schemeReceiver(mailgun({ secrets: SECRET }))
  const send = (body: object) => receive({ headers: HEADERS, body: JSON.stringify(body) })
  return { clock, send }
}

describe('a token of Mailgun', () => {
  it('a token is accepted once, whatever event comes with it', async () => {
    const { clock, send } = receiver()
    const time = `${clock.seconds()}`
    const first = await send(bodyOf(time))
    expect(first).toMatchObject({ ok: true, event: { id: 'one', unsigned: ['id', 'type'] } })
    if (first.ok) await first.event.commit()
    const forged = { event: 'failed', id: 'another' }
    expect(await send(bodyOf(time, undefined, forged))).toMatchObject(DUPLICATE)
    expect(await send(bodyOf(time, 'b'.repeat(50), forged))).toMatchObject({ ok: true })
  })

  it('a token may be new on a retry, and the event is still accepted once', async () => {
    const { clock, send } = receiver()
    const first = await send(bodyOf(`${clock.seconds()}`))
    if (first.ok) await first.event.commit()
    clock.advanceSeconds(600)
    expect(await send(bodyOf(`${clock.seconds()}`, 'b'.repeat(50)))).toMatchObject(DUPLICATE)
  })

  it('another event with the same ID runs, because an ID is unique only within a day', async () => {
    const { clock, send } = receiver()
    const event = (timestamp: number) => ({ event: 'delivered', id: 'one', timestamp })
    const first = await send(bodyOf(`${clock.seconds()}`, undefined, event(1529006854.329574)))
    if (first.ok) await first.event.commit()
    clock.advanceSeconds(86_400)
    const at = `${clock.seconds()}`
    expect(await send(bodyOf(at, 'b'.repeat(50), event(1529006854.329574)))).toMatchObject(DUPLICATE)
    const other = await send(bodyOf(at, 'c'.repeat(50), event(1529093254.5)))
    expect(other).toMatchObject({ ok: true, event: { id: 'one' } })
  })

  it.each([['{"toString":"a"}'], ['{"toString":null,"valueOf":1}'], ['[1529006854]'], ['true'], ['null']])(
    'a token is accepted with an event whose time is %s, which nobody has signed',
    async (time) => {
      const timestamp: unknown = JSON.parse(time)
      const { clock, send } = receiver()
      const event = { event: 'delivered', id: 'one', timestamp }
      const first = await send(bodyOf(`${clock.seconds()}`, undefined, event))
      expect(first).toMatchObject({ ok: true })
      if (first.ok) await first.event.commit()
      const again = { event: 'delivered', id: 'one' }
      expect(await send(bodyOf(`${clock.seconds()}`, 'b'.repeat(50), again))).toMatchObject(DUPLICATE)
    },
  )

  it('a token is valid for a day, because retries may repeat it, and may be 300 s ahead', async () => {
    const { clock, send } = receiver()
    const at = (seconds: number) => send(bodyOf(`${clock.seconds() + seconds}`, undefined, {}))
    expect(await at(-86_400)).toMatchObject({ ok: true })
    expect(await at(-86_401)).toMatchObject({ reason: 'timestamp_out_of_range' })
    expect(await at(300)).toMatchObject({ ok: true })
    expect(await at(301)).toMatchObject({ reason: 'timestamp_out_of_range' })
  })

  it('a token cannot change its age by moving digits between it and its time', async () => {
    const { clock, send } = receiver()
    const time = `${clock.seconds()}`
    for (const at of [9, 11]) {
      const all = `${time}1${'a'.repeat(49)}`
      const signed = bodyOf(all.slice(0, at), all.slice(at))
      expect(await send(signed)).toMatchObject({ reason: 'timestamp_out_of_range' })
    }
  })
})

it.each([
  ['a value', (body: Json) => body, 'string'],
  ['text', (body: Json) => JSON.stringify(body), 'string'],
  ['bytes', (body: Json) => Buffer.from(JSON.stringify(body)), 'object'],
] as const)('signAs writes the signature of Mailgun into a body that is %s', async (_, write, sent) => {
  const { clock, receive } = schemeReceiver(mailgun({ secrets: SECRET }))
  const signature = { timestamp: `${clock.seconds()}`, token: 'a' }
  const signed = await signAs(mailgun, { secret: SECRET, body: write({ signature }) })
  expect(typeof signed.body).toBe(sent)
  expect(await receive(signed)).toMatchObject({ ok: true })
  const noPlace = signAs(mailgun, { secret: SECRET, body: write({ signature: '' }) })
  await expect(noPlace).rejects.toMatchObject({ option: 'body' })
})

it('a signature of Mailgun is text of at most 4,096 characters', async () => {
  const { clock, send } = receiver()
  const body = bodyOf(`${clock.seconds()}`)
  const signedWith = (signature: string) => send({ ...body, signature: { ...body.signature, signature } })
  const tooLong = { ...MISMATCH, detail: '/signature/signature is over 4096 characters' }
  expect(await signedWith('0'.repeat(4097))).toMatchObject(tooLong)
  expect(await signedWith('0'.repeat(4096))).not.toMatchObject(tooLong)
  expect(await send({ ...body, signature: null })).toMatchObject({ reason: 'auth_missing' })
})
