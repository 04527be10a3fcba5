import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type LivekitOptions, livekit } from '../../src/schemes/livekit.ts'
import { type QstashOptions, qstash } from '../../src/schemes/qstash.ts'
import { compactToken } from '../support/keys.ts'
import { DUPLICATE, IN_PROGRESS, schemeReceiver } from '../support/scheme-receiver.ts'

const SECRET = 'sig_secret'
const URL = 'https://receiver.example/hooks'
const BODY = '{"id":"EV_1","event":"room_started"}'
const INVALID = { ok: false, status: 401, reason: 'token_invalid' }
const HEADER = { alg: 'HS256', typ: 'JWT' }

const sign = (text: string) => createHmac('sha256', SECRET).update(text).digest()
const hash = (spelling: 'base64' | 'base64url') => createHash('sha256').update(BODY).digest(spelling)

type Members = { readonly [member: string]: unknown }

function qstashReceiver() {
  const { clock, receive } = schemeReceiver(qstash({ secrets: SECRET, publicUrl: URL }))
  const tokenOf = (claims: Members = {}, header: Members | string = HEADER) => {
    const nbf = clock.seconds()
    const usual = { iss: 'Upstash', sub: URL, nbf, exp: nbf + 300, body: hash('base64url') }
    return compactToken(header, { ...usual, ...claims }, sign)
  }
  const send = (token: string, messageId?: string) =>
    receive({ headers: { 'upstash-signature': token, 'upstash-message-id': messageId }, body: BODY })
  return { clock, tokenOf, send }
}

function livekitReceiver() {
  const { clock, receive } = schemeReceiver(livekit({ apiKey: 'APIkey', secrets: SECRET }))
  const send = (claims: Members = {}) => {
    const nbf = clock.seconds()
    const usual = { iss: 'APIkey', nbf, exp: nbf + 300, sha256: hash('base64') }
    const authorization = compactToken(HEADER, { ...usual, ...claims }, sign)
    return receive({ headers: { authorization, 'content-type': 'application/webhook+json' }, body: BODY })
  }
  return { clock, send }
}

describe('a message of QStash', () => {
  it('a message lists its ID as unsigned', async () => {
    const { clock, tokenOf, send } = qstashReceiver()
    const auth = { method: 'scheme', scheme: 'qstash', secretId: 'secret-1', covers: 'body' }
    const sentAt = new Date(clock.now())
    const event = { id: 'msg_1', auth, unsigned: ['id'], sentAt }
    expect(await send(tokenOf(), 'msg_1')).toMatchObject({ ok: true, event })
  })

  it('a message is a duplicate if it is retried with a new token', async () => {
    const { clock, tokenOf, send } = qstashReceiver()
    const first = await send(tokenOf(), 'msg_1')
    if (first.ok) await first.event.commit()
    clock.advanceSeconds(12)
    expect(await send(tokenOf(), 'msg_1')).toMatchObject(DUPLICATE)
    expect(await send(tokenOf(), 'msg_2')).toMatchObject({ ok: true })
  })

  it('a message is a duplicate if its token comes again with another message ID or none', async () => {
    const { tokenOf, send } = qstashReceiver()
    const token = tokenOf()
    expect(await send(token, 'msg_1')).toMatchObject({ ok: true })
    expect(await send(token, 'msg_2')).toMatchObject(IN_PROGRESS)
    expect(await send(token)).toMatchObject(IN_PROGRESS)
  })
})

describe('a token with a hash of the body', () => {
  it('a token may begin 10 s ahead, and is valid until it ends, within a day at most', async () => {
    const { clock, tokenOf, send } = qstashReceiver()
    const now = clock.seconds()
    expect(await send(tokenOf({ nbf: now + 10 }))).toMatchObject({ ok: true })
    expect(await send(tokenOf({ nbf: now + 11 }))).toMatchObject(INVALID)
    expect(await send(tokenOf({ nbf: now - 3600 }))).toMatchObject({ ok: true })
    expect(await send(tokenOf({ exp: now + 86_400 }))).toMatchObject({ ok: true })
    expect(await send(tokenOf({ exp: now + 86_401 }))).toMatchObject(INVALID)
    expect(await send(tokenOf({ nbf: now - 1, exp: now + 1 }))).toMatchObject({ ok: true })
    expect(await send(tokenOf({ exp: now }))).toMatchObject({ reason: 'token_expired' })
  })

  it('a token begins five minutes before its end by default', async () => {
    const { clock, tokenOf, send } = qstashReceiver()
    const exp = clock.seconds() + 60
    const sentAt = new Date((exp - 300) * 1000)
    expect(await send(tokenOf({ nbf: undefined, exp }))).toMatchObject({ ok: true, event: { sentAt } })
  })

  it.each([
    ['a critical extension', { ...HEADER, crit: ['exp'] }],
    ['an unencoded body', { ...HEADER, b64: false }],
    ['two algorithms', '{"alg":"none","alg":"HS256"}'],
    ['an algorithm in small letters', { alg: 'hs256' }],
    ['another HMAC', { alg: 'HS512' }],
    ['a public-key algorithm', { alg: 'RS256' }],
    ['a header that is a list', '["HS256"]'],
  ])('a token is refused whose header has %s', async (_, header) => {
    const { tokenOf, send } = qstashReceiver()
    expect(await send(tokenOf({}, header))).toMatchObject(INVALID)
  })

  it.each([
    ['an nbf of null', { nbf: null }],
    ['an nbf that is not a number', { nbf: 'now' }],
    ['an exp that is not a number', { exp: 'never' }],
    ['two issuers', { iss: ['Upstash'] }],
    ['another URL', { sub: `${URL}/` }],
    ['a hash with too much padding', { body: `${hash('base64url')}==` }],
    ['an empty hash', { body: '' }],
  ])('a token is refused whose claims have %s', async (_, claims) => {
    const { tokenOf, send } = qstashReceiver()
    expect(await send(tokenOf(claims))).toMatchObject(INVALID)
  })

  it('a token is at most 8,192 characters long', async () => {
    const { tokenOf, send } = qstashReceiver()
    const room = 8192 - tokenOf({ pad: '' }).length
    const padded = (more: number) => tokenOf({ pad: 'a'.repeat(Math.floor((room * 3) / 4) + more) })
    expect(padded(0).length).toBeLessThanOrEqual(8192)
    expect(await send(padded(0))).toMatchObject({ ok: true })
    expect(await send(padded(3))).toMatchObject({ ...INVALID, detail: expect.stringContaining('8192') })
  })
})

describe('an event of LiveKit', () => {
  it('an event is identified by the ID in its signed body', async () => {
    const { clock, send } = livekitReceiver()
    const auth = { scheme: 'livekit', covers: 'body' }
    expect(await send()).toMatchObject({
      ok: true,
      event: { id: 'EV_1', type: 'room_started', auth, unsigned: [] },
    })
    clock.advanceSeconds(1)
    expect(await send()).toMatchObject(IN_PROGRESS)
  })

  it('an event is signed with the configured API key', async () => {
    expect(await livekitReceiver().send({ iss: 'APIother' })).toMatchObject(INVALID)
  })
})

it.each([
  ['publicUrl', { secrets: SECRET }],
  ['publicUrl', { secrets: SECRET, publicUrl: '/hooks' }],
  ['secrets[0]', { publicUrl: URL }],
])('qstash() names the option %s: %j', (option, options) => {
  expect(() => qstash(options as unknown as QstashOptions)).toThrowError(expect.objectContaining({ option }))
})

it.each([
  ['apiKey', { secrets: SECRET }],
  ['secrets[0]', { apiKey: 'APIkey', secrets: '' }],
])('livekit() names the option %s: %j', (option, options) => {
  expect(() => livekit(options as unknown as LivekitOptions)).toThrowError(
    expect.objectContaining({ option }),
  )
})
