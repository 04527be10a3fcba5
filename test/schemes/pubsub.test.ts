import { describe, expect, it } from 'vitest'
import type { Fetch } from '../../src/jwt.ts'
import { type PubsubOptions, pubsub } from '../../src/schemes/pubsub.ts'
import { fakeClock } from '../support/clock.ts'
import { unavailable } from '../support/jwt-listener.ts'
import { compactToken, newKey } from '../support/keys.ts'
import { IN_PROGRESS, schemeReceiver } from '../support/scheme-receiver.ts'

const KEY = newKey('RS256', 'google-1')
const OTHER = newKey('ES256', 'google-2')
const BOUND = { audience: 'https://receiver.example/hooks', email: 'push@project.iam.gserviceaccount.com' }
const INVALID = { ok: false, status: 401, reason: 'token_invalid' }

function receiver(answer: () => Response = () => Response.json({ keys: [KEY.publicKey, OTHER.publicKey] })) {
  const asked: string[] = []
  const fetch: Fetch = async (url) => {
    asked.push(url)
    return answer()
  }
  const clock = fakeClock()
  const { receive } = schemeReceiver(pubsub({ ...BOUND, fetch, clock }), clock)
  const tokenOf = (claims: object, key: typeof KEY) => {
    const usual = { iss: 'https://accounts.google.com', aud: BOUND.audience, email: BOUND.email }
    const times = { email_verified: true, iat: clock.seconds(), exp: clock.seconds() + 3600 }
    const header = { alg: key.algorithm, kid: key.keyId, typ: 'JWT' }
    return compactToken(header, { ...usual, ...times, ...claims }, key.sign)
  }
  const send = (
    claims: object = {},
    messageId = 'one',
    key = KEY,
    subscription = 'projects/p/subscriptions/s',
  ) => {
    const body = JSON.stringify({ message: { data: '', messageId }, subscription })
    return receive({ headers: { authorization: `bearer ${tokenOf(claims, key)}` }, body })
  }
  const sendUnwrapped = (body: string, messageId?: string, subscription?: string) => {
    const headers = {
      authorization: `Bearer ${tokenOf({}, KEY)}`,
      'x-goog-pubsub-message-id': messageId,
      'x-goog-pubsub-subscription-name': subscription,
    }
    return receive({ headers, body })
  }
  return { asked, clock, send, sendUnwrapped }
}

describe('a message of Google Pub/Sub', () => {
  it('a message is verified with a key that is fetched once, and by nothing else', async () => {
    const { asked, send } = receiver()
    for (const id of ['one', 'two', 'three']) {
      const auth = { method: 'scheme', scheme: 'pubsub', secretId: 'google-1', covers: 'token' }
      expect(await send({}, id)).toMatchObject({ ok: true, event: { id, auth, unsigned: ['id'] } })
    }
    expect(asked).toEqual(['https://www.googleapis.com/oauth2/v3/certs'])
  })

  it('a message is accepted once, whatever token it comes with again', async () => {
    const { clock, send } = receiver()
    expect(await send()).toMatchObject({ ok: true })
    clock.advanceSeconds(1)
    expect(await send()).toMatchObject(IN_PROGRESS)
  })

  it('a message in another subscription is another one, because an ID is unique only within its topic', async () => {
    const { send, sendUnwrapped } = receiver()
    const event = { id: 'one' }
    expect(await send()).toMatchObject({ ok: true, event })
    expect(await send({}, 'one', KEY, 'projects/p/subscriptions/t')).toMatchObject({ ok: true, event })
    expect(await sendUnwrapped('', 'one', 'projects/p/subscriptions/t')).toMatchObject(IN_PROGRESS)
    expect(await sendUnwrapped('', 'one', 'projects/p/subscriptions/u')).toMatchObject({ ok: true, event })
  })
})

describe('an unwrapped message of Google Pub/Sub', () => {
  it('an unwrapped message is identified by the ID in its metadata', async () => {
    const { sendUnwrapped } = receiver()
    const event = { id: 'm-1', payload: 'hello' }
    expect(await sendUnwrapped('hello', 'm-1')).toMatchObject({ ok: true, event })
    expect(await sendUnwrapped('hello', 'm-2')).toMatchObject({ ok: true })
    expect(await sendUnwrapped('hello', 'm-1')).toMatchObject(IN_PROGRESS)
  })

  it('an unwrapped message runs whenever it comes without metadata, because the messages that you publish may repeat', async () => {
    const { sendUnwrapped } = receiver()
    const first = await sendUnwrapped('{"n":1}')
    expect(first).toMatchObject({ ok: true, event: { payload: { n: 1 } } })
    if (first.ok) await first.event.commit()
    expect(await sendUnwrapped('{"n":1}')).toMatchObject({ ok: true })
  })
})

describe('a token of Google Pub/Sub', () => {
  it.each([
    ['for several audiences', { aud: [BOUND.audience] }],
    ['for an upper-case audience', { aud: BOUND.audience.toUpperCase() }],
    ['with email_verified as a string', { email_verified: 'true' }],
    ['without iat', { iat: undefined }],
    ['whose exp is a string', { exp: '9999999999' }],
  ])('%s is refused before anything is fetched', async (_, claims) => {
    const { asked, send } = receiver()
    expect(await send(claims)).toMatchObject(INVALID)
    expect(asked).toEqual([])
  })

  it('a token may begin 300 s ahead, end within a day, and not have ended', async () => {
    const { clock, send } = receiver()
    const now = clock.seconds()
    expect(await send({ iat: now + 300 }, 'a')).toMatchObject({ ok: true })
    expect(await send({ iat: now + 301 }, 'b')).toMatchObject(INVALID)
    expect(await send({ exp: now + 86_400 }, 'c')).toMatchObject({ ok: true })
    expect(await send({ exp: now + 86_401 }, 'd')).toMatchObject(INVALID)
    expect(await send({ exp: now + 1 }, 'e')).toMatchObject({ ok: true })
    expect(await send({ exp: now }, 'f')).toMatchObject({ reason: 'token_expired' })
  })

  it('a token must be signed with RS256, even if Google has other keys', async () => {
    expect(await receiver().send({}, 'one', OTHER)).toMatchObject(INVALID)
  })

  it('a token stays undecided while there are no keys', async () => {
    const { send } = receiver(() => new Response('', { status: 503 }))
    await expect(send()).rejects.toMatchObject(unavailable(/answered with status 503$/, 30))
  })

  it('a token of a new key stays undecided while the keys cannot be fetched', async () => {
    const next = newKey('RS256', 'google-3')
    const answers = [
      () => Response.json({ keys: [KEY.publicKey] }),
      () => new Response('', { status: 503 }),
      () => Response.json({ keys: [KEY.publicKey, next.publicKey] }),
    ]
    const { clock, send } = receiver(() => answers.shift()?.() ?? Response.error())
    expect(await send({}, 'a')).toMatchObject({ ok: true })
    expect(await send({}, 'b', next)).toMatchObject(INVALID)
    clock.advanceSeconds(30)
    await expect(send({}, 'b', next)).rejects.toMatchObject(unavailable(/answered with status 503$/, 30))
    expect(await send({}, 'c')).toMatchObject({ ok: true })
    clock.advanceSeconds(30)
    expect(await send({}, 'b', next)).toMatchObject({ ok: true })
  })
})

it.each([
  ['audience', { email: BOUND.email }],
  ['email', { audience: BOUND.audience }],
  ['secrets', { ...BOUND, secrets: 'a secret' }],
])('pubsub() names the option %s: %j', (option, options) => {
  expect(() => pubsub(options as unknown as PubsubOptions)).toThrowError(expect.objectContaining({ option }))
})
