import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type PlaidOptions, plaid } from '../../src/schemes/plaid.ts'
import { fakeClock } from '../support/clock.ts'
import { unavailable } from '../support/jwt-listener.ts'
import { compactToken, newKey } from '../support/keys.ts'
import { IN_PROGRESS, schemeReceiver } from '../support/scheme-receiver.ts'

const KEY = newKey('ES256', 'plaid-key')
const BODY = '{"webhook_code": "ERROR"}'
const PLAID_KEY = { ...KEY.publicKey, use: 'sig', expired_at: null }
const UNKNOWN = { ok: false, status: 401, reason: 'token_invalid', detail: 'no key has this ID' }

function receiver(findKey: PlaidOptions['findKey'], options: Partial<PlaidOptions> = {}) {
  const clock = fakeClock()
  const { receive } = schemeReceiver(plaid({ findKey, clock, ...options }), clock)
  const send = ({ iat = clock.seconds(), kid = KEY.keyId } = {}) => {
    const claims = { iat, request_body_sha256: createHash('sha256').update(BODY).digest('hex') }
    const token = compactToken({ alg: 'ES256', kid, typ: 'JWT' }, claims, KEY.sign)
    return receive({ headers: { 'plaid-verification': token }, body: BODY })
  }
  return { clock, send }
}

describe('a key of Plaid', () => {
  it('a key is requested once, and the event has its ID', async () => {
    const asked: string[] = []
    const { clock, send } = receiver(async (keyId) => {
      asked.push(keyId)
      return PLAID_KEY
    })
    for (let second = 0; second < 3; second += 1) {
      const auth = { scheme: 'plaid', secretId: 'plaid-key', covers: 'body' }
      expect(await send()).toMatchObject({ ok: true, event: { auth, unsigned: [], type: 'ERROR' } })
      clock.advanceSeconds(1)
    }
    expect(asked).toEqual(['plaid-key'])
  })

  it.each([
    ['Plaid does not know', undefined],
    ['Plaid has ended', { ...PLAID_KEY, expired_at: 1 }],
  ])('a key that %s verifies nothing', async (_, key) => {
    expect(await receiver(async () => key).send()).toMatchObject(UNKNOWN)
  })

  it.each([
    ['fails', () => Promise.reject(new Error('down')), /^Plaid down$/],
    ['hangs', () => new Promise<object>(() => {}), /^Plaid did not answer within 30 ms$/],
  ])('a key is not available while findKey %s, which is called once in 30 s', async (_, findKey, message) => {
    let count = 0
    const counting = () => {
      count += 1
      return findKey()
    }
    const { clock, send } = receiver(counting, { timeoutSeconds: 0.03 })
    for (const second of [0, 29]) {
      clock.advanceSeconds(second)
      await expect(send()).rejects.toMatchObject(unavailable(message, 30 - second))
    }
    expect(count).toBe(1)
  })

  it('a key may be configured, and is then never requested', async () => {
    const asked: string[] = []
    const findKey = async (keyId: string) => {
      asked.push(keyId)
      return undefined
    }
    const { send } = receiver(findKey, { keys: [PLAID_KEY] })
    expect(await send()).toMatchObject({ ok: true, event: { auth: { secretId: 'plaid-key' } } })
    expect(asked).toEqual([])
    expect(await send({ kid: 'another' })).toMatchObject(UNKNOWN)
    expect(asked).toEqual(['another'])
  })

  it('a key is one of the configured keys if there is no findKey', async () => {
    const { clock, send } = receiver(undefined, { keys: [{ ...PLAID_KEY, kid: 'another' }, PLAID_KEY] })
    expect(await send()).toMatchObject({ ok: true })
    clock.advanceSeconds(1)
    expect(await send({ kid: 'unknown' })).toMatchObject({ reason: 'token_invalid', status: 401 })
  })

  it('a key with a made-up ID is requested at most three times in 30 s for one address', async () => {
    let count = 0
    const { send } = receiver(async () => {
      count += 1
      return undefined
    })
    for (let index = 0; index < 40; index += 1) await send({ kid: `made-up-${index}` }).catch(() => {})
    expect(count).toBe(3)
  })
})

it('a token of Plaid is accepted once, and another one with the same body is another event', async () => {
  const { clock, send } = receiver(async () => PLAID_KEY)
  const iat = clock.seconds()
  expect(await send({ iat })).toMatchObject({ ok: true })
  expect(await send({ iat })).toMatchObject(IN_PROGRESS)
  expect(await send({ iat: iat - 1 })).toMatchObject({ ok: true })
})

it.each([
  ['findKey', {}],
  ['fetch', { findKey: async () => PLAID_KEY, fetch }],
  ['keys', { keys: [] }],
  ['keys', { keys: { keys: [PLAID_KEY] } }],
  ['keys[0]', { keys: [null] }],
  ['keys[0]', { keys: [newKey('RS256', 'rsa').publicKey] }],
  ['keys[0]', { keys: [{ ...PLAID_KEY, kid: undefined }] }],
  ['keys[0]', { keys: [{ ...PLAID_KEY, d: 'private' }] }],
  ['keys[0]', { keys: [{ ...PLAID_KEY, x: 'AA' }] }],
  ['keys[0]', { keys: [{ ...PLAID_KEY, expired_at: 1 }] }],
  ['keys[1]', { keys: [PLAID_KEY, PLAID_KEY] }],
])('plaid() names the option %s', (option, options) => {
  expect(() => plaid(options as unknown as PlaidOptions)).toThrowError(expect.objectContaining({ option }))
})
