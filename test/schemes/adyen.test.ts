import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { adyen } from '../../src/schemes/adyen.ts'
import { DUPLICATE, MISMATCH, schemeReceiver } from '../support/scheme-receiver.ts'

const KEY = 'a1'.repeat(32)
const PLACES = ['pspReference', 'originalReference', 'merchantAccountCode', 'merchantReference']

const SEVERAL = {
  ok: false,
  status: 400,
  reason: 'body_malformed',
  detail: expect.stringContaining('one item'),
}

type Item = { readonly [member: string]: unknown }

function itemOf(members: Item = {}, signedAs: Item = members): object {
  const usual = { pspReference: '79140733', merchantAccountCode: 'Shop', merchantReference: 'one' }
  const rest = { amount: { currency: 'EUR', value: 1130 }, eventCode: 'AUTHORISATION', success: 'true' }
  const texts: Item = { ...usual, ...signedAs }
  const signed = [...PLACES.map((place) => texts[place] ?? ''), '1130:EUR:AUTHORISATION:true'].join(':')
  const hmacSignature = createHmac('sha256', Buffer.from(KEY, 'hex')).update(signed).digest('base64')
  return { ...usual, ...rest, ...members, additionalData: { hmacSignature } }
}

function receiver() {
  const { receive } = schemeReceiver(adyen({ secrets: KEY.toUpperCase() }))
  const send = (...items: readonly unknown[]) => {
    const notificationItems = items.map((NotificationRequestItem) => ({ NotificationRequestItem }))
    const headers = { 'content-type': 'application/json' }
    return receive({ headers, body: JSON.stringify({ live: 'false', notificationItems }) })
  }
  return { send }
}

describe('a payment notification of Adyen', () => {
  it('a notification says what is covered, and what happened', async () => {
    const auth = { method: 'scheme', scheme: 'adyen', secretId: 'secret-1', covers: 'values' }
    const event = { auth, unsigned: [], type: 'AUTHORISATION' }
    expect(await receiver().send(itemOf())).toMatchObject({ ok: true, event })
  })

  it('a notification is a duplicate by its signed values, whatever else has changed', async () => {
    const { send } = receiver()
    const first = await send(itemOf({ reason: 'one' }))
    if (first.ok) await first.event.commit()
    expect(await send(itemOf({ reason: 'another' }))).toMatchObject(DUPLICATE)
    expect(await send(itemOf({ merchantReference: 'two' }))).toMatchObject({ ok: true })
  })

  it('a notification is refused if it holds several items, so that none is dropped with another that was done', async () => {
    const { send } = receiver()
    const [one, two] = [itemOf(), itemOf({ merchantReference: 'two' })]
    const first = await send(one)
    if (first.ok) await first.event.commit()
    for (const items of [
      [one, two],
      [two, one],
      [one, one],
      [two, two],
    ]) {
      expect(await send(...items)).toMatchObject(SEVERAL)
    }
    expect(await send(two)).toMatchObject({ ok: true })
    const forged = { ...two, merchantReference: 'three' }
    expect(await send(one, forged)).toMatchObject(MISMATCH)
    expect(await send(forged, one)).toMatchObject(MISMATCH)
  })

  it.each([
    ['a reference that is not a string', { merchantReference: ['one'] }],
    ['a reference that is null', { merchantReference: null }],
    ['a missing reference', { merchantReference: undefined }],
  ])('a notification with %s is refused', async (_, members) => {
    expect(await receiver().send(itemOf(members, {}))).toMatchObject(MISMATCH)
  })

  it('a notification is not read if it holds more than 64 items', async () => {
    const items = Array.from({ length: 65 }, () => itemOf())
    expect(await receiver().send(...items)).toMatchObject({ reason: 'auth_missing' })
    expect(await receiver().send(...items.slice(1))).toMatchObject(SEVERAL)
  })

  it.each([[[null]], [['text']], [[[]]], [[itemOf(), {}]]])('no delivery has %j in it', async (items) => {
    expect(await receiver().send(...items)).toMatchObject({ status: 401 })
  })
})

it.each(['', ' ', 'not hex', 'abc', undefined])('adyen() refuses the secret %j', (secrets) => {
  expect(() => adyen({ secrets })).toThrow(/^secrets/)
})
