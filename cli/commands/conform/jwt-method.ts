import { bodyBytes } from '../../../src/signing/body.ts'
import { type SignJwtOptions, signJwt } from '../../../src/signing/sign.ts'
import { WRONG_TOKENS } from '../../../src/testing/wrong-signatures.ts'
import { refused, type Sign } from './case.ts'
import { BODY, type SigningMethod } from './signing-method.ts'

type Key = Pick<SignJwtOptions, 'privateKey' | 'subject' | 'audience'>
type Claims = { readonly [claim: string]: unknown }

const OTHER = 'https://other.example'
const CLAIMS = 'Verify each claim: sub, aud, exp, jti, htm and htb_s256.'

/** Wrong claims, one at a time. */
const WRONG_CLAIMS: readonly (readonly [name: string, claims: (now: number, key: Key) => Claims])[] = [
  ['a token valid for 620 s', (now) => ({ exp: now + 620 })],
  ['an expired token', (now) => ({ exp: now - 10 })],
  ['a token without exp', () => ({ exp: undefined })],
  ['a token that is not valid yet', (now) => ({ nbf: now + 120 })],
  ['a token for another tenant', () => ({ sub: OTHER })],
  ['a subject with a trailing slash', (_, { subject }) => ({ sub: `${subject}/` })],
  ['a token for another endpoint', () => ({ aud: OTHER })],
  ['a token for two endpoints', (_, { audience }) => ({ aud: [audience, OTHER] })],
  ['a token for another event', () => ({ jti: crypto.randomUUID() })],
  ['a token for GET', () => ({ htm: 'GET' })],
  ['a token for post in lower case', () => ({ htm: 'post' })],
  ['a token for another body', () => ({ htb_s256: 'A'.repeat(43) })],
  ["a token without the body's hash", () => ({ htb_s256: undefined })],
]

const ONE_KEY = "Use the key that the token's kid names, from the configured JWKS."

/** Signs tokens with the private key. */
export function jwtMethod(key: Key): SigningMethod {
  const signWith = (given: (now: number) => Partial<SignJwtOptions>) => tokenSign(key, given)
  const variant = (name: string, claims: (now: number) => Claims) => ({
    name,
    rule: 'Accept every token that the specification allows.',
    sign: signWith((now) => ({ claims: claims(now) })),
  })
  const unknownKey = signWith(() => ({ keyId: 'nobody-knows-this-key' }))
  const claimed = WRONG_CLAIMS.map(([name, claims]) => {
    const sign = signWith((now) => ({ claims: claims(now, key) }))
    return refused(name, 'token_invalid', () => sign(), CLAIMS)
  })
  return {
    header: 'authorization',
    variants: [
      variant('a token valid for 590 s', (now) => ({ exp: now + 590 })),
      variant('an audience in an array of one', () => ({ aud: [key.audience] })),
      variant('claims besides the six', () => ({ iss: OTHER, extra: { a: 1 } })),
    ],
    wrong: WRONG_TOKENS,
    refusals: [
      ...claimed,
      refused('a key that is not in the JWKS', 'token_invalid', () => unknownKey(), ONE_KEY),
    ],
    sign: signWith(() => ({})),
  }
}

function tokenSign(key: Key, given: (now: number) => Partial<SignJwtOptions>): Sign {
  return async (parts) => {
    const request = await signJwt({ ...key, body: BODY, ...parts, ...given(Math.floor(Date.now() / 1000)) })
    return { ...request, body: bodyBytes(request.body) }
  }
}
