import { describe, expect, it } from 'vitest'
import { verify } from '../../src/index.ts'
import { signHmac, toDelivery } from '../../src/testing/index.ts'
import { ACCEPTED, BODY, invalid, jwtSender, MISSING } from '../support/jwt-listener.ts'
import { newKey } from '../support/keys.ts'

const KEY = newKey('ES256')
const { clock, deliver, listener, send } = jwtSender(KEY)
const OTHER_SCHEME = invalid('the scheme is not Bearer')
const SPACED = invalid('the token header is not base64url')

describe('the Authorization header', () => {
  it.each(['bearer', 'BEARER', 'bEaReR'])('jwt() accepts the scheme in any case: %s', async (scheme) => {
    expect(await send({ authorization: (token) => `${scheme} ${token}` })).toMatchObject(ACCEPTED)
  })

  it.each([
    ['Basic', (token: string) => `Basic ${token}`, OTHER_SCHEME],
    ['DPoP', (token: string) => `DPoP ${token}`, OTHER_SCHEME],
    ['BearerX', (token: string) => `BearerX ${token}`, OTHER_SCHEME],
    ['no scheme', (token: string) => token, OTHER_SCHEME],
    ['no space after the scheme', (token: string) => `Bearer${token}`, OTHER_SCHEME],
    ['a tab after the scheme', (token: string) => `Bearer\t${token}`, OTHER_SCHEME],
    ['a no-break space after the scheme', (token: string) => `Bearer\u00a0${token}`, OTHER_SCHEME],
    ['a space before the scheme', (token: string) => ` Bearer ${token}`, OTHER_SCHEME],
    ['the scheme in quotes', (token: string) => `"Bearer" ${token}`, OTHER_SCHEME],
    ['the scheme alone', () => 'Bearer', OTHER_SCHEME],
    ['two spaces', (token: string) => `Bearer  ${token}`, SPACED],
    ['a space and a tab', (token: string) => `Bearer \t${token}`, SPACED],
    ['a token in quotes', (token: string) => `Bearer "${token}"`, invalid(/not base64url/)],
    ['a space after the token', (token: string) => `Bearer ${token} `, invalid(/signature is not base64url/)],
    ['a second token', (token: string) => `Bearer ${token} ${token}`, invalid(/three segments/)],
    ['a parameter', (token: string) => `Bearer ${token}, realm=x`, invalid(/signature is not base64url/)],
    ['the scheme and a space', () => 'Bearer ', invalid(/three segments/)],
    ['token=', (token: string) => `Bearer token=${token}`, SPACED],
  ] as const)('jwt() refuses a header with %s', async (_, authorization, expected) => {
    expect(await send({ authorization })).toMatchObject(expected)
  })

  it('jwt() refuses two Authorization headers, also when both are right', async () => {
    const repeated = invalid('more than one Authorization')
    expect(await send({ authorization: (token) => [`Bearer ${token}`, `Bearer ${token}`] })).toMatchObject(
      repeated,
    )
    expect(await send({ authorization: (token) => [`Bearer ${token}`, 'Basic x'] })).toMatchObject(repeated)
    expect(await send({ authorization: (token) => ['', `Bearer ${token}`] })).toMatchObject(repeated)
  })

  it('jwt() refuses two headers that a framework has joined to one', async () => {
    expect(await send({ authorization: (token) => `Bearer ${token}, Bearer ${token}` })).toMatchObject(
      invalid(/three segments/),
    )
  })

  it('jwt() reads an array of one header as that header', async () => {
    expect(await send({ authorization: (token) => [`Bearer ${token}`] })).toMatchObject(ACCEPTED)
  })

  it.each([8_000, 1_000_000])(
    'jwt() refuses %d spaces in linear time, or this test hangs',
    async (spaces) => {
      const delivery = deliver({ authorization: () => `Bearer${' '.repeat(spaces)}` })
      expect(await verify(delivery, listener)).toMatchObject(invalid(/over 8192|three segments/))
    },
  )

  it('jwt() refuses a delivery without Authorization as 401, not as 400', async () => {
    expect(await send({ authorization: () => undefined })).toMatchObject(MISSING)
  })

  it('jwt() counts an empty header as missing', async () => {
    expect(await send({ authorization: () => '' })).toMatchObject(MISSING)
    expect(await send({ authorization: () => [] })).toMatchObject(MISSING)
  })
})

describe('other places for a token', () => {
  it.each(['webhook-signature', 'cookie', 'x-access-token', 'proxy-authorization', 'authentication'])(
    'jwt() does not read a token from %s',
    async (name) => {
      let bare = ''
      const without = deliver({
        authorization: (token) => {
          bare = token
          return undefined
        },
      })
      const asked: string[] = []
      const delivery = {
        ...without,
        header: (header: string) => {
          asked.push(header)
          return header === name ? `Bearer ${bare}` : without.header(header)
        },
      }
      expect(await verify(delivery, listener)).toMatchObject(MISSING)
      expect(asked).toContain('authorization')
      expect(asked).not.toContain(name)
    },
  )

  it('jwt() does not read a token from the body', async () => {
    const eventId = crypto.randomUUID()
    const token = String(deliver({ eventId }).header('authorization')).slice(7)
    const body = JSON.stringify({ access_token: token, authorization: `Bearer ${token}` })
    expect(await send({ eventId, body, authorization: () => undefined })).toMatchObject(MISSING)
  })

  it('jwt() refuses a valid Webhook-Signature when the listener wants a token', async () => {
    const secret = 'x3JTZLHjE1y2Ljdk2aJqwHt6yqBHcDVdYtpVE7Ma9xs'
    const signed = await signHmac({ secret, body: BODY, timestamp: clock.seconds() })
    expect(await verify(toDelivery(signed), listener)).toMatchObject(MISSING)
  })

  it('jwt() does not look at a wrong Webhook-Signature beside a valid token', async () => {
    expect(await send({ headers: { 'webhook-signature': 'wrong' } })).toMatchObject(ACCEPTED)
  })
})
