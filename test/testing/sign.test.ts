import { createHash, createHmac } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader, importJWK, jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { defineListener, hmac, verify } from '../../src/index.ts'
import { jwt, localKeySet } from '../../src/jwt.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { signHmac, signJwt, toDelivery } from '../../src/testing/index.ts'
import { newKey } from '../support/keys.ts'

const secret = 'x3JTZLHjE1y2Ljdk2aJqwHt6yqBHcDVdYtpVE7Ma9xs'
const endpoint = { subject: 'https://tenant.example', audience: 'https://tenant.example/hook' }
const store = memoryStore({ maxRecords: 100 })
const { privateKey, publicKey } = newKey('ES256', 'k1')

describe('signHmac', () => {
  it('signHmac signs timestamp.id.body with the text of the secret, as node:crypto does', async () => {
    const eventId = crypto.randomUUID()
    const { headers, body, method } = await signHmac({
      secret,
      body: '{"é":1}',
      eventId,
      timestamp: 1_790_000_000,
    })
    const wanted = createHmac('sha256', secret).update(`1790000000.${eventId}.{"é":1}`).digest('base64url')
    expect(method).toBe('POST')
    expect(Buffer.from(body).toString()).toBe('{"é":1}')
    expect(headers).toStrictEqual({
      'content-type': 'application/json',
      'webhook-timestamp': '1790000000',
      'webhook-event-id': eventId,
      'webhook-signature': wanted,
    })
  })

  it('signHmac makes a delivery that passes now, with a new ID each time', async () => {
    const listener = defineListener({ id: 'L1', auth: hmac({ secrets: { id: 'main', secret } }), store })
    for (let round = 0; round < 3; round += 1) {
      expect(await verify(toDelivery(await signHmac({ secret, body: '{}' })), listener)).toMatchObject({
        ok: true,
      })
    }
  })

  it.each([
    ['an array', Uint8Array.of(0x7b, 0x7d)],
    ['a Buffer, whose slice() is no copy', Buffer.from('{}')],
  ])('signHmac keeps its own copy of the signed bytes: %s', async (_, body) => {
    const signed = await signHmac({ secret, body })
    body.fill(0)
    expect(signed.body).toStrictEqual(Uint8Array.of(0x7b, 0x7d))
  })
})

describe('signJwt', () => {
  it('signJwt signs the six claims of the specification', async () => {
    const eventId = crypto.randomUUID()
    const began = Math.floor(Date.now() / 1000)
    const { headers } = await signJwt({ ...endpoint, privateKey, body: '{}', eventId, expiresInSeconds: 60 })
    const token = String(headers.authorization).replace(/^Bearer /, '')
    const { payload } = await jwtVerify(token, await importJWK(publicKey))
    expect(payload).toStrictEqual({
      sub: endpoint.subject,
      aud: endpoint.audience,
      exp: expect.any(Number),
      jti: eventId,
      htm: 'POST',
      htb_s256: createHash('sha256').update('{}').digest('base64url'),
    })
    expect(Number(payload.exp)).toBeGreaterThanOrEqual(began + 60)
    expect(Number(payload.exp)).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000) + 60)
    expect(decodeProtectedHeader(token)).toStrictEqual({ alg: 'ES256', kid: 'k1', typ: 'JWT' })
  })

  it('signJwt makes a delivery that passes now', async () => {
    const auth = jwt({ ...endpoint, keySet: localKeySet({ keys: [publicKey] }) })
    const listener = defineListener({ id: 'L2', auth, store })
    const delivery = toDelivery(await signJwt({ ...endpoint, privateKey, body: '{}' }))
    expect(await verify(delivery, listener)).toMatchObject({ ok: true, event: { auth: { keyId: 'k1' } } })
  })

  it('signJwt can add, replace and omit claims, for deliveries that must not pass', async () => {
    const claims = { htm: 'GET', jti: undefined, extra: 1 }
    const { headers } = await signJwt({ ...endpoint, privateKey, body: '{}', claims })
    const payload = decodeJwt(String(headers.authorization).slice(7))
    expect(payload).toMatchObject({ htm: 'GET', extra: 1 })
    expect(payload).not.toHaveProperty('jti')
  })

  it('signJwt asks for an algorithm if the key names none', async () => {
    const { alg: _, ...unnamed } = privateKey
    await expect(signJwt({ ...endpoint, privateKey: unnamed, body: '{}' })).rejects.toMatchObject({
      code: 'ERR_LISTENER_CONFIG',
      message: 'algorithm: must be set, here or as alg of the key',
    })
    const named = signJwt({
      ...endpoint,
      privateKey: unnamed,
      algorithm: 'ES256',
      keyId: 'other',
      body: '{}',
    })
    expect(decodeProtectedHeader(String((await named).headers.authorization).slice(7))).toMatchObject({
      kid: 'other',
    })
  })
})

it('toDelivery makes the same delivery as an adapter', async () => {
  const request = await signHmac({ secret, body: '{}' })
  const delivery = toDelivery(request, '192.0.2.1')
  expect(delivery).toMatchObject({
    method: 'POST',
    body: new TextEncoder().encode('{}'),
    sourceIp: '192.0.2.1',
  })
  expect(delivery.header('webhook-signature')).toBe(request.headers['webhook-signature'])
  expect(delivery.header('authorization')).toBeUndefined()
  expect(toDelivery(request).sourceIp).toBeUndefined()
})

describe('mistakes that plain JavaScript allows throw with the fix', () => {
  const mistakeOf = async (call: () => unknown) => {
    try {
      return await call()
    } catch (error) {
      return String(error)
    }
  }
  const signers = { signHmac, signJwt } as unknown as {
    readonly [name: string]: (...given: readonly unknown[]) => Promise<unknown>
  }

  it.each<readonly [string, readonly unknown[], string]>([
    ['signHmac', [], 'signHmac: takes an object of options'],
    ['signHmac', [null], 'signHmac: takes an object of options'],
    ['signHmac', [{ secret }], 'body: must be text, or the bytes to send'],
    ['signHmac', [{ secret, body: () => {} }], 'body: must be text, or the bytes to send'],
    [
      'signHmac',
      [{ secret, body: new DataView(new ArrayBuffer(8)) }],
      'body: must be text, or the bytes to send',
    ],
    ['signHmac', [{ secret, body: new ArrayBuffer(8) }], 'body: must be text, or the bytes to send'],
    ['signHmac', [{ body: '{}' }], 'secret: must be text'],
    ['signHmac', [{ secret: Buffer.from(secret), body: '{}' }], 'secret: must be text'],
    [
      'signHmac',
      [{ secret, body: '{}', eventID: 'a' }],
      'eventID: signHmac has no such option; did you mean eventId?',
    ],
    ['signJwt', [], 'signJwt: takes an object of options'],
    ['signJwt', [{ ...endpoint, body: '{}' }], 'privateKey: must be a private JWK, like { kty, d, … }'],
    ['signJwt', [{ ...endpoint, body: '{}', privateKey: 'PEM' }], 'privateKey: must be a private JWK'],
    ['signJwt', [{ ...endpoint, body: '{}', privateKey: publicKey }], 'privateKey: must be a private JWK'],
    ['signJwt', [{ ...endpoint, privateKey }], 'body: must be text, or the bytes to send'],
  ])('%s %j', async (name, given, words) => {
    expect(await mistakeOf(() => signers[name]?.(...given))).toContain(`ListenerConfigError: ${words}`)
  })

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a promise', signHmac({ secret, body: '{}' })],
  ])('toDelivery of %s', async (_, given) => {
    expect(await mistakeOf(() => toDelivery(given as never))).toBe(
      'ListenerConfigError: toDelivery: takes the result of signHmac() or signJwt(): await it',
    )
  })
})
