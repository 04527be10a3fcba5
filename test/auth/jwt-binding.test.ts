import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { verify } from '../../src/index.ts'
import { ACCEPTED, AUDIENCE, BODY, bodyHash, invalid, jwtSender, SUBJECT } from '../support/jwt-listener.ts'
import { newKey } from '../support/keys.ts'

const KEY = newKey('EdDSA')
const { deliver, listener, send } = jwtSender(KEY)
const WRONG_AUDIENCE = invalid('aud is not the configured audience alone')
const WRONG_SUBJECT = invalid('sub is not the configured subject')
const WRONG_ID = invalid('jti is not the event ID')
const WRONG_HASH = invalid('htb_s256 is not the hash of the body')

describe('aud', () => {
  it.each([
    ['missing', undefined],
    ['null', null],
    ['a number', 1],
    ['true', true],
    ['empty', ''],
    ["another listener's URL", AUDIENCE.replace('/L1', '/L2')],
    ['a prefix of ours', AUDIENCE.slice(0, -1)],
    ['ours and a slash', `${AUDIENCE}/`],
    ['ours and a query', `${AUDIENCE}?a=1`],
    ['ours and a fragment', `${AUDIENCE}#`],
    ['ours with the host in capitals', AUDIENCE.replace('tenant.example', 'TENANT.EXAMPLE')],
    ['ours with the default port', AUDIENCE.replace('.example/', '.example:443/')],
    ['ours over http', AUDIENCE.replace('https:', 'http:')],
    ['ours with an escape', AUDIENCE.replace('/L1', '/%4C1')],
    ['ours with a dot segment', AUDIENCE.replace('/L1', '/./L1')],
    ['ours with a space', `${AUDIENCE} `],
    ['the subject', SUBJECT],
  ])('jwt() refuses an aud that is %s', async (_, aud) => {
    expect(await send({ claims: { aud } })).toMatchObject(WRONG_AUDIENCE)
  })

  it('jwt() accepts an array of ours alone, and hands it on as an array', async () => {
    expect(await send({ claims: { aud: [AUDIENCE] } })).toMatchObject({
      ok: true,
      event: { auth: { claims: { aud: [AUDIENCE] } } },
    })
  })

  it.each([
    ['ours and another', [AUDIENCE, 'https://other.example']],
    ['another and ours', ['https://other.example', AUDIENCE]],
    ['ours twice', [AUDIENCE, AUDIENCE]],
    ['nothing', []],
    ['an array of ours', [[AUDIENCE]]],
    ['null', [null]],
    ['another', ['https://other.example']],
  ])('jwt() refuses an array of %s', async (_, aud) => {
    expect(await send({ claims: { aud } })).toMatchObject(WRONG_AUDIENCE)
  })

  it.each([
    ['like an array', { 0: AUDIENCE, length: 1 }],
    ['with ours as a member', { 0: AUDIENCE }],
  ])('jwt() refuses an object %s', async (_, aud) => {
    expect(await send({ claims: { aud } })).toMatchObject(WRONG_AUDIENCE)
  })

  it('jwt() never builds the audience from what a request says', async () => {
    const headers = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      forwarded: 'host=evil.example',
    }
    const aud = AUDIENCE.replace('tenant.example', 'evil.example')
    expect(await send({ claims: { aud }, headers })).toMatchObject(WRONG_AUDIENCE)
    const asked: string[] = []
    const delivery = deliver({ headers })
    const header = (name: string) => {
      asked.push(name)
      return delivery.header(name)
    }
    expect(await verify({ ...delivery, header }, listener)).toMatchObject(ACCEPTED)
    expect(asked.filter((name) => Object.hasOwn(headers, name))).toEqual([])
  })
})

describe('sub', () => {
  it.each([
    ['missing', undefined],
    ['null', null],
    ['a number', 1],
    ['empty', ''],
    ['another tenant', 'https://other.example'],
    ['ours and a slash', `${SUBJECT}/`],
    ['a prefix of ours', SUBJECT.slice(0, -1)],
    ['ours in capitals', SUBJECT.toUpperCase()],
    ['an array of ours', [SUBJECT]],
    ['the audience', AUDIENCE],
  ])('jwt() refuses a sub that is %s', async (_, sub) => {
    expect(await send({ claims: { sub } })).toMatchObject(WRONG_SUBJECT)
  })
})

describe('jti', () => {
  const eventId = 'b7e0b6ad-0f3a-4a3f-8d0c-5d3b7b7f8a11'

  it.each([
    ['missing', undefined],
    ['null', null],
    ['a number', 1],
    ['empty', ''],
    ['another UUID v4', 'b7e0b6ad-0f3a-4a3f-8d0c-5d3b7b7f8a12'],
    ['no UUID', 'event-1'],
    ['of version 1', 'b7e0b6ad-0f3a-1a3f-8d0c-5d3b7b7f8a11'],
    ['the event ID and a space', `${eventId} `],
    ['the event ID in braces', `{${eventId}}`],
    ['the event ID as a URN', `urn:uuid:${eventId}`],
    ['the event ID without hyphens', eventId.replaceAll('-', '')],
    ['an array of the event ID', [eventId]],
  ])('jwt() refuses a jti that is %s', async (_, jti) => {
    expect(await send({ eventId, claims: { jti } })).toMatchObject(WRONG_ID)
  })

  it('jwt() ignores letter case, and counts both spellings as one event', async () => {
    const shouted = eventId.toUpperCase()
    const first = await send({ eventId: shouted, claims: { jti: eventId } })
    expect(first).toMatchObject({ ok: true, event: { id: eventId, auth: { claims: { jti: eventId } } } })
    if (first.ok) await first.event.commit()
    expect(await send({ eventId, claims: { jti: shouted } })).toMatchObject({ status: 409 })
    expect(await send({ eventId: shouted, claims: { jti: shouted } })).toMatchObject({ status: 409 })
  })
})

describe('htm', () => {
  it.each([undefined, null, '', 'post', 'Post', 'GET', 'PUT', ' POST', ['POST'], 1, true])(
    'jwt() refuses an htm of %j',
    async (htm) => {
      expect(await send({ claims: { htm } })).toMatchObject(invalid('htm is not POST'))
    },
  )
})

describe('htb_s256', () => {
  const hash = bodyHash(BODY)
  const digest = createHash('sha256').update(BODY)

  it.each([
    ['missing', undefined],
    ['null', null],
    ['a number', 1],
    ['empty', ''],
    ['of another body', bodyHash('{"a":2}')],
    ['of no body', bodyHash('')],
    ['in hexadecimal', Buffer.from(hash, 'base64url').toString('hex')],
    ['padded', `${hash}=`],
    ['in the standard alphabet, padded', digest.copy().digest('base64')],
    ['cut', hash.slice(0, -1)],
    ['with other spare bits', hash.slice(0, -1) + String.fromCharCode(hash.charCodeAt(42) + 1)],
    ['in capitals', hash.toUpperCase()],
    ['an array', [hash]],
    ['a SHA-512', createHash('sha512').update(BODY).digest('base64url')],
  ])('jwt() refuses an htb_s256 that is %s', async (_, htb_s256) => {
    expect(await send({ claims: { htb_s256 } })).toMatchObject(WRONG_HASH)
  })

  it('jwt() refuses the standard alphabet where it differs', async () => {
    const { body, standard } = bodyWithPlusOrSlash()
    expect(await send({ body })).toMatchObject(ACCEPTED)
    expect(await send({ body, claims: { htb_s256: standard } })).toMatchObject(WRONG_HASH)
  })

  it.each(['{ "a": 1 }', '{"a":1}\n', '{"a":1.0}', '{"\\u0061":1}', '{"a":0,"a":1}'])(
    'jwt() hashes the bytes, not the value: %j',
    async (body) => {
      expect(JSON.parse(body)).toEqual(JSON.parse(BODY))
      expect(await send({ body })).toMatchObject(ACCEPTED)
      expect(await send({ body, claims: { htb_s256: bodyHash(BODY) } })).toMatchObject(WRONG_HASH)
    },
  )

  it('jwt() hashes the bytes of letters beyond ASCII', async () => {
    const body = '{"ä":"\u{1f511}"}'
    expect(await send({ body })).toMatchObject(ACCEPTED)
    const latin1 = createHash('sha256').update(Buffer.from(body, 'latin1')).digest('base64url')
    expect(await send({ body, claims: { htb_s256: latin1 } })).toMatchObject(WRONG_HASH)
  })
})

describe('claims that are not the token’s own', () => {
  it.each(['sub', 'aud', 'exp', 'jti', 'htm', 'htb_s256'])('jwt() does not inherit %s', async (name) => {
    const inherit = (json: string) => {
      const { [name]: value, ...rest } = JSON.parse(json)
      return `{"__proto__":{"${name}":${JSON.stringify(value)}},${JSON.stringify(rest).slice(1)}`
    }
    expect(await send({ payloadText: inherit })).toMatchObject(invalid(new RegExp(`^${name} is not`)))
  })

  it('a token leaves every prototype as it was', async () => {
    const polluting = (json: string) =>
      `{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},${json.slice(1)}`
    const verdict = await send({ payloadText: polluting })
    expect(verdict).toMatchObject(ACCEPTED)
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
    const claims = verdict.ok && verdict.event.auth.method === 'jwt' ? verdict.event.auth.claims : {}
    expect(Object.getPrototypeOf(claims)).toBe(Object.prototype)
    expect(Reflect.get(claims, 'polluted')).toBeUndefined()
  })
})

describe('replay', () => {
  it('jwt() refuses a captured token with another body', async () => {
    const captured = deliver()
    expect(await verify({ ...captured, body: Buffer.from('{"a":2}') }, listener)).toMatchObject(WRONG_HASH)
    expect(await verify({ ...captured, body: Buffer.from(`${BODY} `) }, listener)).toMatchObject(WRONG_HASH)
    expect(await verify(captured, listener)).toMatchObject(ACCEPTED)
  })

  it('jwt() refuses a captured token with a new event ID', async () => {
    const captured = deliver()
    const header = (name: string) =>
      name === 'webhook-event-id' ? crypto.randomUUID() : captured.header(name)
    expect(await verify({ ...captured, header }, listener)).toMatchObject(WRONG_ID)
  })
})

function bodyWithPlusOrSlash(): { body: string; standard: string } {
  for (let a = 0; ; a += 1) {
    const body = JSON.stringify({ a })
    const hash = bodyHash(body)
    if (/[-_]/.test(hash)) return { body, standard: hash.replaceAll('-', '+').replaceAll('_', '/') }
  }
}
