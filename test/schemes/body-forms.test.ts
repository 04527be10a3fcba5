import { createHmac } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { auth0 } from '../../src/schemes/auth0.ts'
import { github } from '../../src/schemes/github.ts'
import { isForm } from '../../src/schemes/kit/body.ts'
import { ANY_BODY } from '../../src/schemes/kit/body-formats.ts'
import { compileScheme } from '../../src/schemes/kit/compile-scheme.ts'
import { ALL_PARTS } from '../../src/schemes/kit/row-parts.ts'
import { slack } from '../../src/schemes/slack.ts'
import { schemeReceiver } from '../support/scheme-receiver.ts'
import { SCHEME_NAMES, schemeFactory } from '../support/schemes.ts'

describe('a body of any kind', () => {
  it.each([
    ['{"a": [1]}', { a: [1] }],
    ['1', 1],
    ['{"a": ', '{"a": '],
    ['hello, wörld', 'hello, wörld'],
    ['a=1&b=2', 'a=1&b=2'],
    ['', ''],
    [Buffer.from([0x22, 0xff, 0x22]), null],
  ])('%j is read as %j', (body, payload) => {
    expect(ANY_BODY.read(Buffer.from(body))).toEqual(payload)
  })
})

describe('a log stream of Auth0', () => {
  const { receive } = schemeReceiver(auth0({ secrets: 'a token' }))
  const send = (body: string, contentType = 'application/json') =>
    receive({ headers: { authorization: 'a token', 'content-type': contentType }, body })

  it.each([
    ['JSON Array', '[{"log_id":"1"}]', [{ log_id: '1' }]],
    ['JSON Object', '{"log_id":"2"}', { log_id: '2' }],
    ['JSON Lines', '{"log_id":"3"}\n{"log_id":"4"}\r\n', [{ log_id: '3' }, { log_id: '4' }]],
    ['JSON Lines with an empty line', '{"log_id":"5"}\n\n{"log_id":"6"}', [{ log_id: '5' }, { log_id: '6' }]],
    ['JSON Lines of one line', '{"log_id":"7"}\n', { log_id: '7' }],
  ])('a log stream may be in the format %s', async (_, body, payload) => {
    expect(await send(body)).toMatchObject({ ok: true, event: { payload } })
  })

  it.each(['', '\n', '{"log_id":"1"} {"log_id":"2"}', '{"log_id":"1"}\n{'])(
    'the format is never %j',
    async (body) => {
      expect(await send(body)).toMatchObject({ ok: false, status: 400, reason: 'body_malformed' })
    },
  )

  it('a log stream is JSON by its content type', async () => {
    expect(await send('{"log_id":"8"}\n{}', 'application/x-ndjson')).toMatchObject({ ok: true })
    expect(await send('{"log_id":"9"}\n{}', 'text/html')).toMatchObject({
      reason: 'content_type_not_accepted',
    })
  })
})

const FORM = 'application/x-www-form-urlencoded'
const factories = await Promise.all(SCHEME_NAMES.map(schemeFactory))
const either = factories
  .map(({ scheme }) => scheme)
  .filter(({ content = [] }) => content.some(isForm) && content.length > 1)

describe('a sender of both JSON and forms', () => {
  it.each(either)('$name never has JSON read as a form', (scheme) => {
    const read = compileScheme(scheme, { publicUrl: 'https://a.example/' }, ALL_PARTS).readerFor(FORM)
    for (const body of ['{"a":1}', '[1]', '"a"', ' \r\n\t{"a":1}', '{"a":"&payload=%7B%7D"}', '{']) {
      expect(read?.(Buffer.from(body))).toMatchObject({ reason: 'body_malformed' })
    }
    expect(read?.(Buffer.from('payload=%7B%7D'))).toHaveProperty('payload')
    if (!scheme.content?.includes('form')) return
    for (const body of ['a=1&b=2', 'a=%7B%7D', '%7B%22a%22%3A1%7D=', 'a={"b":1}', '']) {
      expect(read?.(Buffer.from(body))).toHaveProperty('payload')
    }
  })
})

describe('GitHub', () => {
  const { receive } = schemeReceiver(github({ secrets: 'a secret' }))
  const send = (body: string, type: string) => {
    const signature = `sha256=${createHmac('sha256', 'a secret').update(body).digest('hex')}`
    return receive({ headers: { 'content-type': type, 'x-hub-signature-256': signature }, body })
  }
  const refused = { ok: false, status: 400, reason: 'body_malformed' }

  it('a captured JSON body does not become a form, of which a stranger may have written a field', async () => {
    const title = `&payload=${encodeURIComponent('{"action":"forged"}')}&`
    for (const body of ['{"action":"opened"}', JSON.stringify({ action: 'opened', issue: { title } })]) {
      expect(await send(body, FORM)).toMatchObject(refused)
      expect(await send(body, 'application/json')).toMatchObject({
        ok: true,
        event: { payload: { action: 'opened' } },
      })
    }
  })

  it('GitHub sends its form with the event in one field, and the event is the JSON in it', async () => {
    const body = `payload=${encodeURIComponent('{"action":"closed","title":"a&b=c + d"}')}`
    const verdict = await send(body, `${FORM}; charset=utf-8`)
    if (!verdict.ok) throw new Error(verdict.reason)
    expect(verdict.event.payload).toEqual({ action: 'closed', title: 'a&b=c + d' })
    expect(Buffer.from(verdict.event.rawBody).toString()).toBe(body)
  })

  it.each([
    ['with another field behind it', 'payload=%7B%7D&a=1'],
    ['with another field before it', 'a=1&payload=%7B%7D'],
    ['with a field without a name', 'payload=%7B%7D&=1'],
    ['with the field twice', 'payload=%7B%7D&payload=%7B%7D'],
    ['with the field twice, once empty', 'payload=%7B%7D&payload'],
    ['without the field', 'a=1'],
    ['with the field under another case', 'Payload=%7B%7D'],
    ['of nothing', ''],
    ['with malformed percent codes', 'payload=%7B%7'],
  ])('GitHub sends no form %s', async (_, body) => {
    expect(await send(body, FORM)).toMatchObject({ ...refused, detail: expect.stringContaining('payload') })
  })

  it.each(['payload=', 'payload', 'payload=%7B', 'payload=%FF', 'payload=%EF%BB%BF%7B%7D', 'payload=a'])(
    'GitHub sends no form whose field is not JSON: %s',
    async (body) => {
      expect(await send(body, FORM)).toMatchObject({ ok: false, status: 400, reason: 'body_not_json' })
    },
  )

  it('GitHub has a form refused at its second field, however many follow', async () => {
    const decode = vi.spyOn(TextDecoder.prototype, 'decode')
    expect(await send(`payload=1${'&a'.repeat(100_000)}`, FORM)).toMatchObject(refused)
    expect(decode.mock.calls.length).toBeLessThan(20)
  })

  it('GitHub gives an event with a member `payload` of its own as it is, in either content', async () => {
    const event = { payload: { payload: { action: 'opened' } } }
    const json = '{"payload":{"action":"opened"}}'
    expect(await send(json, 'application/json')).toMatchObject({ ok: true, event })
    expect(await send(`payload=${encodeURIComponent(json)}`, FORM)).toMatchObject({ ok: true, event })
  })
})

describe('Slack', () => {
  const { clock, receive } = schemeReceiver(slack({ secrets: 'a secret' }))
  const send = (body: string) => {
    const time = `${clock.seconds()}`
    const mac = createHmac('sha256', 'a secret').update(`v0:${time}:${body}`).digest('hex')
    const signed = { 'x-slack-request-timestamp': time, 'x-slack-signature': `v0=${mac}` }
    return receive({ headers: { ...signed, 'content-type': FORM }, body })
  }

  it('Slack sends a command as a form, and an interaction as a form with JSON in its only field', async () => {
    const command = { payload: { command: '/weather', text: 'a b' } }
    expect(await send('command=%2Fweather&text=a+b')).toMatchObject({ ok: true, event: command })
    const interaction = { payload: { payload: { type: 'block_actions' } } }
    const verdict = await send(`payload=${encodeURIComponent('{"type":"block_actions"}')}`)
    expect(verdict).toMatchObject({ ok: true, event: interaction })
    if (verdict.ok) expect(verdict.event.type).toBeUndefined()
  })

  it.each([
    ['payload=%7B%7D&command=%2Fa', 'body_malformed'],
    ['payload=%7B%7D&payload=%7B%7D', 'body_malformed'],
    ['payload=%7B', 'body_not_json'],
    ['payload=', 'body_not_json'],
  ])('Slack sends no interaction like %s', async (body, reason) => {
    expect(await send(body)).toMatchObject({ ok: false, status: 400, reason })
  })
})
