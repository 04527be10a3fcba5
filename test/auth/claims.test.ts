import { describe, expect, it } from 'vitest'
import { verify } from '../../src/index.ts'
import { ACCEPTED, EXPIRED, invalid, jwtSender } from '../support/jwt-listener.ts'
import { newKey } from '../support/keys.ts'

const KEY = newKey('EdDSA')
const { clock, deliver, listener, send } = jwtSender(KEY)
const now = clock.seconds()

/** The payload with a member as this JSON text, which an object could not express. */
const written = (name: string, text: string) => (json: string) =>
  `${JSON.stringify({ ...JSON.parse(json), [name]: undefined }).slice(0, -1)},"${name}":${text}}`

describe('exp', () => {
  it.each([
    ['missing', undefined],
    ['null', null],
    ['a string', `${now + 300}`],
    ['an array', [now + 300]],
    ['an object', { value: now + 300 }],
    ['true', true],
    ['a date', '2026-09-21T14:00:00Z'],
  ])('jwt() refuses an exp that is %s', async (_, exp) => {
    expect(await send({ claims: { exp } })).toMatchObject(invalid('exp is not a number'))
  })

  it.each([
    ['now', now],
    ['a second ago', now - 1],
    ['half a second ago', now - 0.5],
    ['0', 0],
    ['-0', -0],
    ['before 1970', -1],
    ['a huge negative number', -1e300],
  ])('jwt() calls a token expired whose exp is %s', async (_, exp) => {
    expect(await send({ claims: { exp } })).toMatchObject(EXPIRED)
  })

  it('a token is accepted for its last second, and no longer', async () => {
    expect(await send({ claims: { exp: now + 1 } })).toMatchObject(ACCEPTED)
    const { clock: running, deliver: sign, listener: own } = jwtSender(KEY)
    const headers = { 'webhook-timestamp': `${running.seconds()}` }
    const delivery = sign({ claims: { exp: running.seconds() + 60 }, headers })
    running.advance(59_999)
    expect(await verify(delivery, own)).toMatchObject(ACCEPTED)
    running.advance(1)
    expect(await verify(delivery, own)).toMatchObject(EXPIRED)
  })

  it('jwt() accepts an exp 600 seconds ahead, and none further', async () => {
    expect(await send({ claims: { exp: now + 600 } })).toMatchObject(ACCEPTED)
    for (const exp of [now + 600.5, now + 601, (now + 300) * 1000, Number.MAX_SAFE_INTEGER, 1e300]) {
      expect(await send({ claims: { exp } })).toMatchObject(invalid('exp is over 600 s ahead'))
    }
  })

  it.each(['1e400', '-1e400', '1E+999'])('jwt() refuses exp %s, which parses to infinity', async (text) => {
    expect(await send({ payloadText: written('exp', text) })).toMatchObject(invalid('exp is not a number'))
  })

  it('jwt() accepts a fractional exp', async () => {
    expect(await send({ claims: { exp: now + 60.5 } })).toMatchObject(ACCEPTED)
    expect(await send({ payloadText: written('exp', `${now + 60}.000e0`) })).toMatchObject(ACCEPTED)
  })
})

describe('repeated claims', () => {
  it.each([
    ['exp', `${now - 1}`],
    ['aud', '"https://other.example"'],
    ['sub', '"https://other.example"'],
    ['jti', '"b7e0b6ad-0f3a-4a3f-8d0c-5d3b7b7f8a11"'],
    ['htm', '"GET"'],
    ['htb_s256', '""'],
    ['x', '1,"x":2'],
  ])('jwt() refuses a token that says %s twice', async (name, text) => {
    const twice = invalid('the token payload has a member twice')
    const first = (json: string) => `{"${name}":${text},${json.slice(1)}`
    const last = (json: string) => `${json.slice(0, -1)},"${name}":${text}}`
    const escaped = (json: string) =>
      `{"\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}":${text},${json.slice(1)}`
    for (const payloadText of [first, last, escaped]) {
      expect(await send({ payloadText })).toMatchObject(twice)
    }
  })

  it('jwt() accepts the same names inside a claim', async () => {
    const nested = { exp: 1, aud: 2, list: [{ exp: 3 }, { exp: 4 }] }
    expect(await send({ claims: { nested } })).toMatchObject({
      ok: true,
      event: { auth: { claims: { nested } } },
    })
  })
})

describe('nbf and iat', () => {
  it('jwt() accepts an nbf of now and refuses a later one', async () => {
    for (const nbf of [now, now - 1, now - 0.5, 0, -1]) {
      expect(await send({ claims: { nbf } })).toMatchObject(ACCEPTED)
    }
    for (const nbf of [now + 1, now + 0.5, now * 1000]) {
      expect(await send({ claims: { nbf } })).toMatchObject(invalid('nbf is over 0 s ahead'))
    }
  })

  it.each([
    ['text', `${now}`],
    ['null', null],
    ['an array', [now]],
    ['true', true],
    ['an object', {}],
  ])('jwt() refuses an nbf or iat that is %s', async (_, value) => {
    expect(await send({ claims: { nbf: value } })).toMatchObject(invalid('nbf is not a number'))
    expect(await send({ claims: { iat: value } })).toMatchObject(invalid('iat is not a number'))
  })

  it.each(['1e400', '-1e400'])('jwt() refuses an nbf or iat of %s', async (text) => {
    expect(await send({ payloadText: written('nbf', text) })).toMatchObject(invalid(/^nbf/))
    expect(await send({ payloadText: written('iat', text) })).toMatchObject(invalid(/^iat/))
  })

  it('jwt() does not compare iat', async () => {
    for (const iat of [now - 1e6, now, now + 1e6, 0.5]) {
      expect(await send({ claims: { iat } })).toMatchObject(ACCEPTED)
    }
  })
})

describe('what the verdict says', () => {
  it('the verdict calls a token with several faults invalid rather than expired', async () => {
    expect(await send({ claims: { exp: now - 1, htm: 'GET' } })).toMatchObject(invalid('htm is not POST'))
  })

  it('the verdict says how long ago a token expired', async () => {
    const detail = 'the token expired 90 s ago'
    expect(await send({ claims: { exp: now - 90 } })).toMatchObject({ ...EXPIRED, detail })
  })

  it('the verdict quotes nothing of the token', async () => {
    const secret = 'very-secret-value'
    const claims = {
      sub: secret,
      aud: secret,
      jti: secret,
      htm: secret,
      htb_s256: secret,
      iat: secret,
      nbf: secret,
    }
    for (const [name, value] of Object.entries(claims)) {
      const verdict = await send({ claims: { [name]: value } })
      expect(verdict).toMatchObject(invalid(/./))
      expect(JSON.stringify(verdict)).not.toContain(secret)
    }
    expect(JSON.stringify(await send({ header: { kid: secret } }))).not.toContain(secret)
    expect(JSON.stringify(await send({ header: { alg: secret } }))).not.toContain(secret)
    expect(JSON.stringify(await send({ payloadText: () => `{"${secret}` }))).not.toContain(secret)
  })

  it('the verdict hands on every claim of a valid token, and no other', async () => {
    const eventId = crypto.randomUUID()
    const verdict = await verify(deliver({ eventId, claims: { iss: 'x', iat: 1, none: null } }), listener)
    expect(verdict).toMatchObject({ ok: true, event: { auth: { claims: { iss: 'x', iat: 1, none: null } } } })
    expect(
      verdict.ok && verdict.event.auth.method === 'jwt' && Object.keys(verdict.event.auth.claims).sort(),
    ).toEqual(['aud', 'exp', 'htb_s256', 'htm', 'iat', 'iss', 'jti', 'none', 'sub'])
  })
})
