import { describe, expect, it } from 'vitest'
import { replyTo } from '../../src/index.ts'
import { auth0 } from '../../src/schemes/auth0.ts'
import { graph } from '../../src/schemes/graph.ts'
import { postmark } from '../../src/schemes/postmark.ts'
import { IN_PROGRESS, MISMATCH, schemeReceiver } from '../support/scheme-receiver.ts'

const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`

describe('Postmark', () => {
  const { receive } = schemeReceiver(postmark({ secrets: ['me:é:ü', { id: 'old', secret: 'me:former' }] }))
  const send = (authorization: string, body = '{"MessageID":"one","RecordType":"Open"}') =>
    receive({ headers: { authorization }, body })

  it('Postmark is authenticated by its user and password, in UTF-8', async () => {
    const event = { type: 'Open', unsigned: ['id', 'type'], auth: { covers: 'token', secretId: 'secret-1' } }
    expect(await send(basic('me:é:ü'))).toMatchObject({ ok: true, event })
  })

  it('Postmark sends many events of one message, and each runs once', async () => {
    const click = '{"MessageID":"one","RecordType":"Click"}'
    expect(await send(basic('me:former'), click)).toMatchObject({ ok: true })
    expect(await send(basic('me:former'), click)).toMatchObject(IN_PROGRESS)
  })

  it.each(['Basic', 'Basic ', 'Basic  bWU6ZsO8', `${basic('me:former')} `, basic('me:Former')])(
    'Postmark is not %j',
    async (authorization) => expect(await send(authorization)).toMatchObject(MISMATCH),
  )
})

describe('Microsoft Graph', () => {
  const { receive } = schemeReceiver(graph({ secrets: ['a state', 'another'] }))
  const send = (...states: readonly unknown[]) =>
    receive({ headers: {}, body: JSON.stringify({ value: states.map((clientState) => ({ clientState })) }) })
  const ask = async (query: string, method = 'POST') => {
    const headers = { 'content-type': 'text/plain; charset=utf-8' }
    const verdict = await receive({ method, url: `/hooks?${query}`, headers, body: '' })
    return verdict.ok ? undefined : replyTo(verdict)
  }

  it('Microsoft Graph repeats its secret in every notification, and repeated notifications are duplicates', async () => {
    for (let count = 0; count < 2; count += 1) {
      const verdict = await send('another', 'a state')
      const auth = { covers: 'token', secretId: 'secret-2' }
      expect(verdict).toMatchObject({ ok: true, event: { auth } })
      if (verdict.ok) await verdict.event.commit()
    }
  })

  it.each([[['a state', null]], [[null, 'a state']], [['a state', { toString: 'a state' }]], [['A state']]])(
    'Microsoft Graph does not send %j',
    async (states) => expect(await send(...states)).toMatchObject(MISMATCH),
  )

  it('Microsoft Graph sends at most 1,000 notifications at once', async () => {
    const states = Array.from({ length: 1001 }, () => 'a state')
    expect(await send(...states)).toMatchObject(MISMATCH)
    expect(await send(...states.slice(1))).toMatchObject({ ok: true })
  })

  it('Microsoft Graph gets its validation token back as plain text', async () => {
    expect(await ask('validationToken=%3Cscript%3E')).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
      body: '<script>',
    })
    expect(await ask(`validationToken=${'a'.repeat(4097)}`)).toMatchObject({ status: 400 })
    expect(await ask('validationToken=a', 'GET')).toMatchObject({ status: 405 })
  })
})

it('a log of Auth0 is accepted once', async () => {
  const { receive } = schemeReceiver(auth0({ secrets: 'Bearer a token' }))
  const send = (id: string) =>
    receive({ headers: { authorization: 'Bearer a token' }, body: `[{"log_id":"${id}"}]` })
  expect(await send('1')).toMatchObject({ ok: true, event: { auth: { covers: 'token' } } })
  expect(await send('1')).toMatchObject(IN_PROGRESS)
  expect(await send('2')).toMatchObject({ ok: true })
})
