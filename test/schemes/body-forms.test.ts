import { describe, expect, it } from 'vitest'
import { auth0 } from '../../schemes/auth0.ts'
import { ANY_BODY } from '../../src/scheme/any-body.ts'
import { schemeReceiver } from '../support/scheme-receiver.ts'

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
  ])('may be in the format %s', async (_, body, payload) => {
    expect(await send(body)).toMatchObject({ ok: true, event: { payload } })
  })

  it.each(['', '\n', '{"log_id":"1"} {"log_id":"2"}', '{"log_id":"1"}\n{'])('is never %j', async (body) => {
    expect(await send(body)).toMatchObject({ ok: false, status: 400, reason: 'body_malformed' })
  })

  it('is JSON by its content type', async () => {
    expect(await send('{"log_id":"8"}\n{}', 'application/x-ndjson')).toMatchObject({ ok: true })
    expect(await send('{"log_id":"9"}\n{}', 'text/html')).toMatchObject({
      reason: 'content_type_not_accepted',
    })
  })
})
