import { describe, expect, it } from 'vitest'
import { verify } from '../../src/index.ts'
import { jwt, localKeySet } from '../../src/jwt.ts'
import { ACCEPTED, AUDIENCE, invalid, jwtSender, SUBJECT } from '../support/jwt-listener.ts'
import { newKey } from '../support/keys.ts'

const KEY = newKey('EdDSA')

describe('localKeySet', () => {
  it.each([
    ['null', null],
    ['undefined', undefined],
    ['text', '{"keys":[]}'],
    ['an array', [KEY.publicKey]],
    ['one key', KEY.publicKey],
    ['keys that are not an array', { keys: { 0: KEY.publicKey } }],
  ])('localKeySet throws for %s', (_, jwks) => {
    expect(() => localKeySet(jwks as unknown as { keys: [] })).toThrowError(
      expect.objectContaining({
        name: 'ListenerConfigError',
        option: 'jwks',
        message: 'jwks: is not a JWKS: { keys: [...] }',
      }),
    )
  })

  it('localKeySet throws for over 100 keys', () => {
    expect(() => localKeySet({ keys: Array(100).fill({}) })).not.toThrow()
    expect(() => localKeySet({ keys: Array(101).fill({}) })).toThrowError(
      expect.objectContaining({ name: 'ListenerConfigError', option: 'jwks' }),
    )
  })

  it.each([undefined, null, '', 1, {}, ['']])('localKeySet has no key whose kid is %j', async (kid) => {
    const keySet = localKeySet({ keys: [{ ...KEY.publicKey, kid }] })
    for (const keyId of ['', 'undefined', 'null', '1', '[object Object]']) {
      expect(await keySet.find(keyId, 'EdDSA')).toBe('no EdDSA key has this kid')
    }
  })

  it('localKeySet imports a key once, and returns it synchronously afterwards', async () => {
    const keySet = localKeySet({ keys: [KEY.publicKey] })
    const imported = await keySet.find(KEY.keyId, 'EdDSA')
    expect(imported).toMatchObject({ type: 'public' })
    expect(keySet.find(KEY.keyId, 'EdDSA')).toBe(imported)
  })

  it('localKeySet copies the document, so that later changes have no effect', async () => {
    const jwks = { keys: [{ ...KEY.publicKey }] }
    const keySet = localKeySet(jwks)
    jwks.keys.pop()
    expect(await jwtSender(KEY, { keySet }).send()).toMatchObject(ACCEPTED)
  })

  it('localKeySet keeps the members of each key it read', async () => {
    const key = { ...KEY.publicKey }
    const keySet = localKeySet({ keys: [key] })
    Object.assign(key, newKey('EdDSA').publicKey)
    expect(await jwtSender(KEY, { keySet }).send()).toMatchObject(ACCEPTED)
  })
})

describe('jwt', () => {
  const right = { keySet: localKeySet({ keys: [KEY.publicKey] }), subject: SUBJECT, audience: AUDIENCE }

  it.each([
    ['no key set', { keySet: undefined }, 'keySet'],
    ['a JWKS instead of a key set', { keySet: { keys: [] } }, 'keySet'],
    ['no subject', { subject: undefined }, 'subject'],
    ['an empty subject', { subject: '' }, 'subject'],
    ['a subject that is a list', { subject: [SUBJECT] }, 'subject'],
    ['an empty audience', { audience: '' }, 'audience'],
    ['an audience that is a URL object', { audience: new URL(AUDIENCE) }, 'audience'],
    ['a lone surrogate', { audience: `${AUDIENCE}\ud800` }, 'audience'],
    ['a misspelt option', { issuer: 'x' }, 'issuer'],
  ])('jwt throws for %s', (_, changed, option) => {
    expect(() => jwt({ ...right, ...changed } as typeof right)).toThrowError(
      expect.objectContaining({ name: 'ListenerConfigError', option }),
    )
  })

  it('challenges with Bearer if it refuses a token', () => {
    expect(jwt(right)).toMatchObject({ method: 'jwt', challenge: 'Bearer' })
  })

  it.each([
    ['an empty text', ''],
    ['a reason', 'unknown tenant'],
    ['null', null],
    ['undefined', undefined],
    ['0', 0],
    ['false', false],
    ['bytes', new Uint8Array(32)],
    ['empty bytes', new Uint8Array(0)],
    ['an object', {}],
    ['a function', () => null],
  ])('jwt refuses a token when a key set answers with %s', async (_, answer) => {
    for (const found of [answer, Promise.resolve(answer)]) {
      const keySet = { find: () => found as string }
      expect(await jwtSender(KEY, { keySet }).send()).toMatchObject({
        ...invalid(''),
        detail: expect.any(String),
      })
    }
  })

  it('jwt refuses an unsigned token when a key set has no key', async () => {
    const { send } = jwtSender(KEY, { keySet: { find: () => '' } })
    expect(await send({ header: { alg: 'none' }, signer: () => Buffer.alloc(0) })).toMatchObject(invalid(/./))
  })

  it('jwt verifies every delivery anew: no earlier result is used again', async () => {
    const local = localKeySet({ keys: [KEY.publicKey] })
    let searches = 0
    let removed = false
    const { deliver, send, listener } = jwtSender(KEY, {
      keySet: {
        find: (keyId, algorithm) => {
          searches += 1
          return removed ? 'it was removed' : local.find(keyId, algorithm)
        },
      },
    })
    const delivery = deliver()

    expect(await verify(delivery, listener)).toMatchObject(ACCEPTED)
    expect(await verify(delivery, listener)).toMatchObject({ status: 503 })
    removed = true
    expect(await verify(delivery, listener)).toMatchObject(invalid('it was removed'))
    expect(await send()).toMatchObject(invalid('it was removed'))
    expect(searches).toBe(4)
  })

  it('jwt does not confuse tokens that share header, signature or beginning', async () => {
    const { send } = jwtSender(KEY)
    let captured = ''
    const first = await send({
      token: (compact) => {
        captured = compact
        return compact
      },
    })
    expect(first).toMatchObject(ACCEPTED)
    const [header, , signature] = captured.split('.')
    const grafted = (compact: string) => `${header}.${compact.split('.')[1]}.${signature}`
    expect(await send({ token: grafted })).toMatchObject(invalid('the signature does not verify'))
  })
})
