import { describe, expect, it } from 'vitest'
import { replyTo } from '../../src/index.ts'
import { type CloudeventsOptions, cloudevents } from '../../src/schemes/cloudevents.ts'
import { IN_PROGRESS, MISMATCH, type Received, schemeReceiver } from '../support/scheme-receiver.ts'

const SECRET = 'a token'
const EVENT = { specversion: '1.0', type: 'made.up', source: '/a', id: '1' }
const AUTHORIZATION = { authorization: `Bearer ${SECRET}` }

const structured = (event: object, headers: Received['headers'] = AUTHORIZATION): Received => ({
  headers: { 'content-type': 'application/cloudevents+json', ...headers },
  body: JSON.stringify(event),
})
const binary = (source: string | undefined, id: string): Received => ({
  headers: { ...AUTHORIZATION, 'ce-source': source, 'ce-id': id, 'ce-type': 'made.up' },
  body: '{"id":"of the data","source":"of the data"}',
})
const batch = (headers: Received['headers']): Received =>
  structured([EVENT], { ...AUTHORIZATION, ...headers, 'content-type': 'application/cloudevents-batch+json' })
const receiver = (options: Partial<CloudeventsOptions> = {}) =>
  schemeReceiver(cloudevents({ secrets: SECRET, ...options }))

describe('a CloudEvent', () => {
  it('a CloudEvent has its ID in its body, or in a header', async () => {
    const { receive } = receiver()
    const event = { id: '1', unsigned: ['id', 'type'], auth: { covers: 'token' } }
    expect(await receive(structured(EVENT))).toMatchObject({ ok: true, event })
    expect(await receive(binary('/b', '1'))).toMatchObject({ ok: true, event: { ...event, type: 'made.up' } })
  })

  it.each([
    ['in structured mode', structured(EVENT), 'made.up'],
    [
      'in structured mode, whatever the header says',
      structured(EVENT, { ...AUTHORIZATION, 'ce-type': 'other' }),
      'made.up',
    ],
    ['in structured mode without an ID', structured({ type: 'made.up' }), 'made.up'],
    [
      'in binary mode, whatever the data says',
      { ...binary('/a', '1'), body: '{"type":"of the data"}' },
      'made.up',
    ],
    ['of 256 characters', structured({ ...EVENT, type: 't'.repeat(256) }), 't'.repeat(256)],
    ['of 257 characters, which is none', structured({ ...EVENT, type: 't'.repeat(257) }), undefined],
    ['that is no text', structured({ ...EVENT, type: ['made.up'] }), undefined],
    [
      'that is missing',
      structured({ ...EVENT, type: undefined }, { ...AUTHORIZATION, 'ce-type': 'other' }),
      undefined,
    ],
    ['of a batch, which has many', batch({ 'ce-type': 'other' }), undefined],
  ])('a CloudEvent has the type %s', async (_, given, type) => {
    const verdict = await receiver().receive(given)
    expect(verdict).toMatchObject({ ok: true, event: { unsigned: ['id', 'type'] } })
    if (verdict.ok) expect(verdict.event.type).toBe(type)
  })

  it('a CloudEvent is accepted once per source, in either mode', async () => {
    const { receive } = receiver()
    expect(await receive(structured(EVENT))).toMatchObject({ ok: true })
    expect(await receive(structured({ ...EVENT, data: 'another' }))).toMatchObject(IN_PROGRESS)
    expect(await receive(binary('/a', '1'))).toMatchObject(IN_PROGRESS)
    expect(await receive(binary('/a', '2'))).toMatchObject({ ok: true })
    expect(await receive(structured({ ...EVENT, source: '/b' }))).toMatchObject({ ok: true })
  })

  it('a CloudEvent is identified by its body if it has no source, like a batch', async () => {
    const { receive } = receiver()
    const headers = { ...AUTHORIZATION, 'content-type': 'application/cloudevents-batch+json' }
    for (const given of [binary(undefined, '1'), structured([EVENT], headers), structured([EVENT, EVENT])]) {
      expect(await receive(given)).toMatchObject({ ok: true })
      expect(await receive(given)).toMatchObject(IN_PROGRESS)
    }
  })

  it('no CloudEvent is confused with another by its pair of source and ID', async () => {
    const { receive } = receiver()
    expect(await receive(binary('/a","b', 'c'))).toMatchObject({ ok: true })
    expect(await receive(binary('/a', 'b","c'))).toMatchObject({ ok: true })
    expect(await receive(binary('/a', '12'))).toMatchObject({ ok: true })
    expect(await receive(binary('/a1', '2'))).toMatchObject({ ok: true })
  })
})

describe('the token of a CloudEvents sender', () => {
  it('the token may be in the URL', async () => {
    const { receive } = receiver()
    const at = (url: string) => receive({ url, ...structured(EVENT, {}) })
    expect(await at('/hooks?access_token=another')).toMatchObject(MISMATCH)
    expect(await at('/hooks')).toMatchObject({ reason: 'auth_missing' })
    expect(await at(`/hooks?access_token=a+token&access_token=a+token`)).toMatchObject({
      reason: 'auth_missing',
    })
    expect(await at('https://receiver.example/hooks?tenant=7&access_token=a%20token')).toMatchObject({
      ok: true,
    })
  })

  it('the token may be in one place only', async () => {
    const given = { url: '/hooks?access_token=a+token', ...structured(EVENT) }
    expect(await receiver().receive(given)).toMatchObject(MISMATCH)
  })
})

describe('the abuse protection handshake of a CloudEvents sender', () => {
  const ask = async (
    origin: string | undefined,
    options: Partial<CloudeventsOptions> = {},
    method = 'OPTIONS',
  ) => {
    const headers = { 'webhook-request-origin': origin, 'webhook-request-callback': 'https://evil.example/' }
    const verdict = await receiver(options).receive({ method, headers, body: '' })
    if (verdict.ok) throw new Error('a question reached the handler')
    return replyTo(verdict)
  }
  const consent = { allow: 'POST', 'webhook-allowed-origin': 'a.example', 'webhook-allowed-rate': '*' }

  it('the handshake allows any origin, or those that you name', async () => {
    expect(await ask('a.example')).toEqual({ status: 200, headers: consent, body: '' })
    const allowedOrigins = ['b.example', 'a.example']
    expect(await ask('a.example', { allowedOrigins })).toMatchObject({ status: 200, headers: consent })
    expect(await ask('c.example', { allowedOrigins })).toEqual({ status: 403, headers: {}, body: '' })
  })

  it.each(['a b', 'a\nb', 'a,b', '<a>', 'a'.repeat(256)])('the handshake never allows %j', async (origin) => {
    expect(await ask(origin)).toEqual({ status: 403, headers: {}, body: '' })
  })

  it('the handshake is an OPTIONS request with an origin', async () => {
    expect(await ask(undefined)).toMatchObject({ status: 405 })
    expect(await ask('a.example', {}, 'GET')).toMatchObject({ status: 405 })
  })
})

it.each([
  ['secrets[0]', {}],
  ['allowedOrigins', { secrets: SECRET, allowedOrigins: [] }],
  ['allowedOrigins', { secrets: SECRET, allowedOrigins: 'a.example' }],
  ['allowedOrigins', { secrets: SECRET, allowedOrigins: ['a b'] }],
])('cloudevents() names the option %s: %j', (option, options) => {
  expect(() => cloudevents(options as unknown as CloudeventsOptions)).toThrowError(
    expect.objectContaining({ option }),
  )
})
