import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { replyTo } from '../../src/index.ts'
import { type BraintreeOptions, braintree } from '../../src/schemes/braintree.ts'
import { IN_PROGRESS, MISMATCH, schemeReceiver } from '../support/scheme-receiver.ts'

const OPTIONS = { publicKey: 'public', secrets: ['private', 'former'] }
const PAYLOAD = 'PG5vdGlmaWNhdGlvbi8+\n'

function mac(text: string, privateKey = 'private'): string {
  const key = createHash('sha1').update(privateKey).digest()
  return createHmac('sha1', key).update(text).digest('hex')
}

function receiver() {
  const { receive } = schemeReceiver(braintree(OPTIONS))
  const send = (fields: { readonly [name: string]: string }) =>
    receive({
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: String(new URLSearchParams(fields)),
    })
  const ask = async (query: string, method = 'GET') => {
    const verdict = await receive({ method, url: `/hooks?${query}`, headers: {}, body: '' })
    if (verdict.ok) throw new Error('a question reached the handler')
    return replyTo(verdict)
  }
  return { send, ask }
}

describe('a notification of Braintree', () => {
  it('a notification is a form with one signed field', async () => {
    const fields = { bt_signature: `public|${mac(PAYLOAD)}`, bt_payload: PAYLOAD }
    const auth = { scheme: 'braintree', secretId: 'secret-1', covers: 'values' }
    expect(await receiver().send(fields)).toMatchObject({ ok: true, event: { auth, payload: fields } })
  })

  it('a notification is accepted once, with its last line feed or without', async () => {
    const { send } = receiver()
    const bt_signature = `public|${mac(PAYLOAD)}`
    expect(await send({ bt_signature, bt_payload: PAYLOAD.trimEnd() })).toMatchObject({ ok: true })
    expect(await send({ bt_signature, bt_payload: PAYLOAD })).toMatchObject(IN_PROGRESS)
  })

  it('a notification may hold signatures of other keys, and up to ten of ours', async () => {
    const right = `public|${mac(PAYLOAD, 'former')}`
    const wrong = (count: number) => Array.from({ length: count }, () => `public|${mac('')}`)
    const signed = (pairs: readonly string[]) =>
      receiver().send({ bt_signature: pairs.join('&'), bt_payload: PAYLOAD })
    const accepted = { ok: true, event: { auth: { secretId: 'secret-2' } } }
    expect(await signed([`another|${mac('')}`, ...wrong(9), right])).toMatchObject(accepted)
    expect(await signed([...wrong(10), right])).toMatchObject(MISMATCH)
  })

  it.each([
    ['payload is not base64', { bt_payload: 'a&b' }],
    ['signatures are over 4,096 characters', { bt_payload: PAYLOAD, bt_signature: 'a'.repeat(4097) }],
  ])('a notification is refused if its %s', async (_, fields) => {
    const signed = { bt_signature: `public|${mac(fields.bt_payload)}`, ...fields }
    expect(await receiver().send(signed)).toMatchObject(MISMATCH)
  })

  it.each([19, 33])('a notification may be %i hex characters, which no challenge is', async (length) => {
    const bt_payload = 'a'.repeat(length)
    const bt_signature = `public|${mac(bt_payload)}`
    expect(await receiver().send({ bt_signature, bt_payload })).toMatchObject({ ok: true })
  })

  it('a notification is a form with each field once', async () => {
    const { receive } = schemeReceiver(braintree(OPTIONS))
    const signature = `bt_signature=${encodeURIComponent(`public|${mac('YQ==')}`)}`
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const twice = { headers, body: `${signature}&bt_payload=YQ%3D%3D&bt_payload=YQ%3D%3D` }
    expect(await receive(twice)).toMatchObject({ status: 401 })
  })
})

describe('the challenge of Braintree', () => {
  it.each([20, 32])('the challenge is signed when it is %i hex characters', async (length) => {
    const challenge = 'a1'.repeat(length / 2)
    const reply = await receiver().ask(`bt_challenge=${challenge}`)
    expect(reply).toMatchObject({ status: 200, body: `public|${mac(challenge)}` })
    expect(reply.headers['content-type']).toMatch(/^text\/plain/)
  })

  it.each([20, 32])(
    'the challenge is no payload: its answer signs no delivery, %i hex characters',
    async (length) => {
      const challenge = 'a1'.repeat(length / 2)
      const { ask, send } = receiver()
      const { body } = await ask(`bt_challenge=${challenge}`)
      for (const bt_payload of [challenge, `${challenge}\n`]) {
        expect(await send({ bt_signature: body, bt_payload })).toMatchObject(MISMATCH)
      }
      const bt_signature = `public|${mac(`${challenge}\n`)}`
      expect(await send({ bt_signature, bt_payload: challenge })).toMatchObject(MISMATCH)
    },
  )

  it.each([
    'a'.repeat(19),
    'a'.repeat(33),
    'A'.repeat(20),
    `${'a'.repeat(20)}%0A`,
    encodeURIComponent(PAYLOAD),
  ])('the challenge is never signed as %s, which may be a payload', async (challenge) => {
    expect(await receiver().ask(`bt_challenge=${challenge}`)).toMatchObject({ status: 400, body: '' })
  })

  it('the challenge is a GET', async () => {
    expect(await receiver().ask(`bt_challenge=${'a'.repeat(20)}`, 'PUT')).toMatchObject({ status: 405 })
  })
})

it.each([
  ['publicKey', { secrets: 'private' }],
  ['secrets[0]', { publicKey: 'public' }],
  ['privateKey', { ...OPTIONS, privateKey: 'private' }],
])('braintree() names the option %s: %j', (option, options) => {
  expect(() => braintree(options as unknown as BraintreeOptions)).toThrowError(
    expect.objectContaining({ option }),
  )
})
