import { compactVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { readClaims, readToken } from '../../src/auth/token.ts'
import { JWT_ALGORITHMS } from '../../src/crypto/algorithms.ts'
import { verify } from '../../src/index.ts'
import { localKeySet } from '../../src/jwt.ts'
import { fakeClock } from '../support/clock.ts'
import { withHeaders } from '../support/hmac-listener.ts'
import { ACCEPTED, invalid, jwtSender, MISSING } from '../support/jwt-listener.ts'
import { base64url, newKey } from '../support/keys.ts'
import fc from '../support/property.ts'
import vectors from '../vectors/jwt.json' with { type: 'json' }

const KEY = newKey('ES256')

/** What is wrong with a token before its claims are checked, or the token and its claims. */
function read(text: string) {
  const token = readToken(text, JWT_ALGORITHMS)
  const claims = typeof token === 'string' ? token : readClaims(token)
  return typeof token === 'string' || typeof claims === 'string' ? String(claims) : { ...token, claims }
}

describe('published tokens', () => {
  it.each(vectors.rfcTokens)('the signature of $source fits a key read by us', async (vector) => {
    const algorithm =
      vector.algorithm === 'RS256' ? 'RS256' : vector.algorithm === 'ES256' ? 'ES256' : 'EdDSA'
    const key = await localKeySet({ keys: [{ ...vector.key, kid: 'rfc' }] }).find('rfc', algorithm)
    if (typeof key === 'string') throw new Error(key)
    const { protectedHeader } = await compactVerify(vector.token, key, { algorithms: [algorithm] })
    expect(protectedHeader).toEqual({ alg: algorithm })
  })

  it.each(vectors.rfcTokens)('jwt() refuses $source itself, which has no kid', ({ token }) => {
    expect(read(token)).toMatch(/^kid is missing|^the token payload is not JSON/)
  })

  it('jwt() refuses the unsecured token of RFC 7515 A.5', () => {
    expect(read(vectors.unsecured.token)).toMatch(/^the signature is not/)
    expect(read(`${vectors.unsecured.token}AAAA`)).toMatch(/^alg is not one of/)
  })

  it.each(vectors.deliveries)('jwt() accepts a recorded delivery signed with $algorithm', async (vector) => {
    const clock = fakeClock(vector.now * 1000)
    const { deliver, listener } = jwtSender(KEY, { clock, keySet: localKeySet({ keys: [vector.key] }) })
    const authorization = () => `Bearer ${vector.token}`
    const delivery = deliver({ eventId: vector.eventId, body: vector.body, authorization })
    expect(await verify(delivery, listener)).toMatchObject({
      ok: true,
      event: { id: vector.eventId, auth: { keyId: vector.key.kid } },
    })
  })
})

it('the header that is kept is read again for a scheme with other algorithms', () => {
  const token = `${base64url(JSON.stringify({ alg: 'ES256', kid: 'k' }))}.${base64url('{}')}.AAAA`
  expect(readToken(token, ['ES256'])).toMatchObject({ algorithm: 'ES256', keyId: 'k' })
  expect(readToken(token, ['RS256'])).toBe('alg is not one of RS256')
  expect(readToken(token, ['HS256'])).toBe('alg is not one of HS256')
  expect(readToken(token, ['ES256'])).toMatchObject({ algorithm: 'ES256', keyId: 'k' })
})

describe('any header', () => {
  const segment = fc.oneof(
    fc.json().map(base64url),
    fc.string().map(base64url),
    fc.uint8Array({ maxLength: 40 }).map(base64url),
    fc.constantFrom('', 'e30', 'eyJhbGciOiJFUzI1NiIsImtpZCI6ImsifQ', 'AAAA', '='),
  )
  const member = fc.oneof(fc.constantFrom('alg', 'kid', 'crit', 'b64', 'typ', '__proto__'), fc.string())
  const header = fc.dictionary(member, fc.oneof(fc.constantFrom('ES256', 'EdDSA', 'none'), fc.jsonValue()))

  it('any header never makes the reader throw', () => {
    const anything = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary', maxLength: 9_000 }),
      fc.string().map((text) => `Bearer ${text}`),
    )
    fc.assert(
      fc.property(anything, (text) => typeof read(text) === 'string'),
      { numRuns: 3_000 },
    )
  })

  it('any header is read as a token only when all that matters is right', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          header.map((json) => base64url(JSON.stringify(json))),
          segment,
        ),
        segment,
        segment,
        (...parts) => {
          const token = read(parts.join('.'))
          if (typeof token === 'string') return
          expect(['RS256', 'ES256', 'EdDSA']).toContain(token.algorithm)
          expect(token.keyId).not.toBe('')
          expect(token.keyId.length).toBeLessThanOrEqual(256)
          expect(`${token.signingInput}.${base64url(token.signature)}`).toBe(parts.join('.'))
          expect(token.claims).toBeTypeOf('object')
          expect(parts.map((part) => base64url(Buffer.from(part, 'base64url')))).toEqual(parts)
        },
      ),
      { numRuns: 3_000 },
    )
  })

  it('any header never makes verify() throw', async () => {
    const { deliver, listener } = jwtSender(KEY)
    const delivery = deliver()
    const anything = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.tuple(segment, segment, segment).map((parts) => `Bearer ${parts.join('.')}`),
    )
    const refused = fc.asyncProperty(anything, async (authorization) => {
      const verdict = await verify(withHeaders(delivery, { authorization }), listener)
      expect(verdict).toMatchObject(authorization === '' ? MISSING : invalid(/./))
    })
    await fc.assert(refused, { numRuns: 500 })
  })
})

describe('a valid token, changed in one place', () => {
  const { deliver, listener } = jwtSender(KEY)
  const delivery = deliver()
  const token = String(delivery.header('authorization')).slice('Bearer '.length)
  const sendToken = (changed: string) =>
    verify(withHeaders(delivery, { authorization: `Bearer ${changed}` }), listener)
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const positions = Array.from(token, (_, position) => position)

  it('a token is refused, whichever character becomes its neighbour', async () => {
    for (const position of positions) {
      const next = alphabet.charAt((alphabet.indexOf(token.charAt(position)) + 1) % 64)
      expect(await sendToken(token.slice(0, position) + next + token.slice(position + 1))).toMatchObject(
        invalid(/./),
      )
    }
  })

  it('a token is refused, whichever character is left out or doubled', async () => {
    for (const position of positions) {
      const without = token.slice(0, position) + token.slice(position + 1)
      const doubled = token.slice(0, position + 1) + token.slice(position)
      expect(await sendToken(without)).toMatchObject(invalid(/./))
      expect(await sendToken(doubled)).toMatchObject(invalid(/./))
    }
  })

  it('a token is refused, whichever character becomes any other', async () => {
    const change = fc.asyncProperty(
      fc.nat(token.length - 1),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
      async (position, other) => {
        fc.pre(other !== token.charAt(position))
        expect(await sendToken(token.slice(0, position) + other + token.slice(position + 1))).toMatchObject(
          invalid(/./),
        )
      },
    )
    await fc.assert(change, { numRuns: 1_000 })
  })

  it('a token is accepted unchanged', async () => {
    expect(await sendToken(token)).toMatchObject(ACCEPTED)
  })
})
