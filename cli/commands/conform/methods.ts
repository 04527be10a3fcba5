import { createHmac } from 'node:crypto'
import { bodyBytes } from '../../../src/signing/body.ts'
import { type SignJwtOptions, signHmac, signJwt } from '../../../src/signing/sign.ts'
import { type WrongRequest, withHeader } from '../../../src/testing/wrong-requests.ts'
import { WRONG_MACS, WRONG_TOKENS } from '../../../src/testing/wrong-signatures.ts'
import { nowSeconds } from '../../signing/scheme-body.ts'
import { type Case, refused, type Sign } from './case.ts'

export interface SigningMethod {
  /** The header that holds the signature. */
  readonly header: 'webhook-signature' | 'authorization'
  readonly sign: Sign
  /** Other correct ways to sign. */
  readonly variants: readonly { readonly name: string; readonly rule: string; readonly sign: Sign }[]
  /** Changes to a signed delivery that must be refused. */
  readonly wrong: readonly WrongRequest[]
  /** Other deliveries that must be refused, wrongly signed from the start. */
  readonly refusals: readonly Case[]
}

export const BODY: Uint8Array<ArrayBuffer> = new TextEncoder().encode('{"hookgate":"conform"}')

/** Signs with the secret, correctly and with the mistakes that senders make. */
export function hmacMethod(secret: string): SigningMethod {
  return {
    header: 'webhook-signature',
    variants: [],
    wrong: [...WRONG_MACS, ...wrongInputs(secret)],
    refusals: [],
    sign: (parts) => signHmac({ secret, body: BODY, ...parts }),
  }
}

/** Well-formed signatures of the wrong input. A receiver that accepts one makes the same mistake. */
function wrongInputs(secret: string): readonly WrongRequest[] {
  const signed = (
    name: string,
    key: string | Buffer,
    inputOf: (timestamp: string, id: string) => string,
  ): WrongRequest => ({
    name,
    reason: 'signature_mismatch',
    change(request) {
      const { 'webhook-timestamp': timestamp = '', 'webhook-event-id': id = '' } = request.headers
      const mac = createHmac('sha256', key).update(inputOf(timestamp, id)).update(request.body)
      return withHeader(request, 'webhook-signature', mac.digest('base64url'))
    },
  })
  const right = (timestamp: string, id: string) => `${timestamp}.${id}.`
  return [
    signed('a signature of the body alone', secret, () => ''),
    signed('a signature of timestamp and body', secret, (timestamp) => `${timestamp}.`),
    signed('a signature with the ID before the timestamp', secret, (timestamp, id) => `${id}.${timestamp}.`),
    signed('a secret decoded from base64url', Buffer.from(secret, 'base64url'), right),
    signed('a secret with a line break at its end', `${secret}\n`, right),
    signed('an empty secret', '', right),
  ]
}

type Key = Pick<SignJwtOptions, 'privateKey' | 'subject' | 'audience'>
type Claims = { readonly [claim: string]: unknown }

const OTHER = 'https://other.example'
const CLAIMS = 'Verify each claim: sub, aud, exp, jti, htm and htb_s256.'

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

export function jwtMethod(key: Key): SigningMethod {
  const signWith =
    (given: (now: number) => Partial<SignJwtOptions>): Sign =>
    async (parts) => {
      const request = await signJwt({ ...key, body: BODY, ...parts, ...given(nowSeconds()) })
      return { ...request, body: bodyBytes(request.body) }
    }
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
