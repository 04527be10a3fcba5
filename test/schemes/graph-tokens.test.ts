import { describe, expect, it } from 'vitest'
import type { Fetch } from '../../src/jwt.ts'
import { type GraphOptions, graph } from '../../src/schemes/graph.ts'
import { fakeClock } from '../support/clock.ts'
import { unavailable } from '../support/jwt-listener.ts'
import { changeSignature, compactToken, newKey } from '../support/keys.ts'
import { MISMATCH, schemeReceiver } from '../support/scheme-receiver.ts'

const KEY = newKey('RS256', 'microsoft-1')
const OTHER = newKey('ES256', 'microsoft-2')
const STRANGER = newKey('RS256', KEY.keyId)
const STATE = 'a client state'
const APP = '8e460676-ae3f-4b1e-8790-ee0fb5d6148f'
const TENANT = '84bd8158-6d4d-4958-8b9f-9d6445542f95'
const SECOND_TENANT = '46d9e3bd-6309-4177-a016-b256a411e30f'
const PUBLISHER = '0bf30f3b-4a52-48df-9a82-234910c4a086'
const OPTIONS = { secrets: STATE, appIds: APP, tenantIds: [TENANT, SECOND_TENANT] }
const INVALID = { ok: false, status: 401, reason: 'token_invalid' }
const MISSING = { ok: false, status: 401, reason: 'auth_missing' }
const KEYS = [KEY.publicKey, OTHER.publicKey]

const encryptedContent = { data: 'AA==', dataSignature: 'AA==', dataKey: 'AA==' }
const RICH = { clientState: STATE, encryptedContent }
const BASIC = { clientState: STATE, resourceData: { id: 'one' } }

function receiver(
  options: GraphOptions = OPTIONS,
  answer: () => Response = () => Response.json({ keys: KEYS }),
) {
  const asked: string[] = []
  const fetch: Fetch = async (url) => {
    asked.push(url)
    return answer()
  }
  const clock = fakeClock()
  const { receive } = schemeReceiver(graph({ ...options, fetch, clock }), clock)
  const send = (validationTokens: unknown, ...value: readonly object[]) =>
    receive({
      headers: {},
      body: JSON.stringify({ value: value.length > 0 ? value : [RICH], validationTokens }),
    })
  const tokenOf = (claims: object = {}, key = KEY, header: object = {}) => {
    const usual = { iss: `https://sts.windows.net/${TENANT}/`, aud: APP, appid: PUBLISHER }
    const times = { iat: clock.seconds(), nbf: clock.seconds(), exp: clock.seconds() + 3600 }
    return compactToken(
      { alg: key.algorithm, kid: key.keyId, typ: 'JWT', ...header },
      { ...usual, ...times, ...claims },
      key.sign,
    )
  }
  return { asked, clock, send, tokenOf }
}

/** Version 2.0 of a token. */
const v2 = (claims: object = {}) => ({
  iss: `https://login.microsoftonline.com/${TENANT}/v2.0`,
  azp: PUBLISHER,
  appid: undefined,
  ...claims,
})

describe('a rich notification of Microsoft Graph', () => {
  it('a rich notification is accepted with valid tokens, whose keys are fetched once from Microsoft', async () => {
    const { asked, send, tokenOf } = receiver()
    const auth = { method: 'scheme', scheme: 'graph', secretId: 'secret-1', covers: 'token' }
    expect(await send([tokenOf()])).toMatchObject({ ok: true, event: { auth } })
    expect(await send([tokenOf(v2())], RICH, BASIC)).toMatchObject({ ok: true })
    const both = [tokenOf(), tokenOf({ iss: `https://sts.windows.net/${SECOND_TENANT}/` })]
    expect(await send(both)).toMatchObject({ ok: true })
    expect(asked).toEqual(['https://login.microsoftonline.com/common/discovery/v2.0/keys'])
  })

  it.each([
    ['no tokens', undefined],
    ['null', null],
    ['an empty list', []],
  ])('a rich notification is refused with %s, also among basic ones', async (_, tokens) => {
    expect(await receiver().send(tokens, BASIC, RICH)).toMatchObject(MISSING)
  })

  it('a rich notification needs its clientState too', async () => {
    const { asked, send, tokenOf } = receiver()
    expect(await send([tokenOf()], { ...RICH, clientState: 'another' })).toMatchObject(MISMATCH)
    expect(asked).toEqual([])
  })

  it('a rich notification is refused for one invalid token among valid ones, wherever it stands', async () => {
    const { send, tokenOf } = receiver()
    const wrong = [tokenOf({ aud: TENANT }), tokenOf({}, STRANGER), 'a.b', null]
    for (const one of wrong) {
      expect(await send([tokenOf(), one])).toMatchObject(INVALID)
      expect(await send([one, tokenOf()])).toMatchObject(INVALID)
    }
  })

  it('a rich notification may have 50 tokens, and no more', async () => {
    const { send, tokenOf } = receiver()
    const tokens = Array.from({ length: 51 }, () => tokenOf())
    expect(await send(tokens.slice(1))).toMatchObject({ ok: true })
    expect(await send(tokens)).toMatchObject(INVALID)
  })
})

describe('a basic notification of Microsoft Graph', () => {
  it.each([[undefined], [null], [[]]])('a basic notification needs no tokens: %j', async (tokens) => {
    const { asked, send } = receiver()
    expect(await send(tokens, BASIC, { ...BASIC, encryptedContent: null })).toMatchObject({ ok: true })
    expect(asked).toEqual([])
  })

  it('a basic notification is refused with a token that is not valid', async () => {
    const { send, tokenOf } = receiver()
    expect(await send([tokenOf({ aud: TENANT })], BASIC)).toMatchObject(INVALID)
  })
})

it('tokens are not looked at without appIds and tenantIds', async () => {
  const { asked, send } = receiver({ secrets: STATE })
  for (const tokens of [undefined, ['no token'], 'no list']) {
    expect(await send(tokens)).toMatchObject({ ok: true })
  }
  expect(asked).toEqual([])
})

describe('a validation token', () => {
  it.each([
    ['from another tenant', { iss: `https://sts.windows.net/${APP}/` }],
    [
      'from another tenant, with a claim named undefined',
      { iss: 'https://example.com', undefined: PUBLISHER },
    ],
    ['from another tenant, version 2.0', v2({ iss: `https://login.microsoftonline.com/${APP}/v2.0` })],
    ['from an issuer that starts like Microsoft’s', { iss: `https://sts.windows.net/${TENANT}/x` }],
    ['without an issuer', { iss: undefined }],
    ['for another app', { aud: PUBLISHER }],
    ['for several audiences', { aud: [APP] }],
    ['without an audience', { aud: undefined }],
    ['from another publisher', { appid: APP }],
    ['from another publisher, version 2.0', v2({ azp: APP })],
    ['whose publisher is in the claim of the other version', v2({ appid: PUBLISHER, azp: undefined })],
    ['without a publisher', { appid: undefined }],
    ['without nbf', { nbf: undefined }],
    ['without exp', { exp: undefined }],
  ])('%s is refused before anything is fetched', async (_, claims) => {
    const { asked, send, tokenOf } = receiver()
    expect(await send([tokenOf(claims)])).toMatchObject(INVALID)
    expect(asked).toEqual([])
  })

  it.each([
    ['a string instead of a list', (token: string) => token],
    ['a list in a list', (token: string) => [[token]]],
    ['an object', (token: string) => ({ 0: token, length: 1 })],
    ['a token of two parts', (token: string) => [token.split('.').slice(0, 2).join('.')]],
    ['a token of over 8,192 characters', (token: string) => [`${token}${'A'.repeat(8192)}`]],
    ['an empty token', () => ['']],
  ])('%s is refused before anything is fetched', async (_, change) => {
    const { asked, send, tokenOf } = receiver()
    expect(await send(change(tokenOf()))).toMatchObject(INVALID)
    expect(asked).toEqual([])
  })

  it('a validation token may begin 300 s ahead, end within two days, and not have ended', async () => {
    const { clock, send, tokenOf } = receiver()
    const now = clock.seconds()
    expect(await send([tokenOf({ nbf: now + 300 })])).toMatchObject({ ok: true })
    expect(await send([tokenOf({ nbf: now + 301 })])).toMatchObject(INVALID)
    expect(await send([tokenOf({ exp: now + 172_800 })])).toMatchObject({ ok: true })
    expect(await send([tokenOf({ exp: now + 172_801 })])).toMatchObject(INVALID)
    expect(await send([tokenOf({ exp: now + 1 })])).toMatchObject({ ok: true })
    expect(await send([tokenOf({ exp: now })])).toMatchObject({ status: 401, reason: 'token_expired' })
  })

  it('a validation token writes its times as numbers', async () => {
    const { clock, send, tokenOf } = receiver()
    expect(await send([tokenOf({ nbf: `${clock.seconds()}` })])).toMatchObject(INVALID)
    expect(await send([tokenOf({ exp: `${clock.seconds() + 3600}` })])).toMatchObject(INVALID)
  })

  it('a validation token is signed by a key of Microsoft, with RS256', async () => {
    const { send, tokenOf } = receiver()
    expect(await send([tokenOf({}, STRANGER)])).toMatchObject(INVALID)
    expect(await send([tokenOf({}, OTHER)])).toMatchObject(INVALID)
    expect(await send([tokenOf({}, KEY, { kid: 'unknown' })])).toMatchObject(INVALID)
    expect(await send([tokenOf({}, KEY, { alg: 'none' })])).toMatchObject(INVALID)
    expect(await send([tokenOf({}, KEY, { alg: 'HS256' })])).toMatchObject(INVALID)
    const flipped = changeSignature(tokenOf(), (bytes) =>
      bytes.map((byte, at) => (at === 0 ? byte ^ 1 : byte)),
    )
    expect(await send([flipped])).toMatchObject(INVALID)
  })

  it('a validation token cannot be judged while there are no keys', async () => {
    const { send, tokenOf } = receiver(OPTIONS, () => new Response('', { status: 503 }))
    await expect(send([tokenOf()])).rejects.toMatchObject(unavailable(/answered with status 503$/, 30))
  })

  it('a validation token of a new key cannot be judged while the keys cannot be fetched', async () => {
    const next = newKey('RS256', 'microsoft-3')
    const answers = [
      () => Response.json({ keys: KEYS }),
      () => new Response('', { status: 503 }),
      () => Response.json({ keys: [...KEYS, next.publicKey] }),
    ]
    const { clock, send, tokenOf } = receiver(OPTIONS, () => answers.shift()?.() ?? Response.error())
    expect(await send([tokenOf()])).toMatchObject({ ok: true })
    clock.advanceSeconds(30)
    const both = () => send([tokenOf(), tokenOf({}, next)])
    await expect(both()).rejects.toMatchObject(unavailable(/answered with status 503$/, 30))
    expect(await send([tokenOf()])).toMatchObject({ ok: true })
    clock.advanceSeconds(30)
    expect(await both()).toMatchObject({ ok: true })
  })

  it('a validation token is compared with lower-case IDs, however you write them', async () => {
    const upper = { ...OPTIONS, appIds: [APP.toUpperCase()], tenantIds: TENANT.toUpperCase() }
    const { send, tokenOf } = receiver(upper)
    expect(await send([tokenOf()])).toMatchObject({ ok: true })
  })
})

it.each([
  ['appIds', { tenantIds: TENANT }],
  ['tenantIds', { appIds: APP }],
  ['appIds', { ...OPTIONS, appIds: [] }],
  ['appIds', { ...OPTIONS, appIds: [APP, undefined] }],
  ['tenantIds', { ...OPTIONS, tenantIds: 'contoso.onmicrosoft.com' }],
  ['tenantIds', { ...OPTIONS, tenantIds: 'common' }],
  ['timeoutSeconds', { ...OPTIONS, timeoutSeconds: 0 }],
])('graph() names the option %s: %j', (option, options) => {
  expect(() => graph({ secrets: STATE, ...options } as GraphOptions)).toThrowError(
    expect.objectContaining({ option }),
  )
})
