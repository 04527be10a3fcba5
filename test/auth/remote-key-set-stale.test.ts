import { describe, expect, it } from 'vitest'
import { remoteKeySet } from '../../src/jwt.ts'
import { fakeClock } from '../support/clock.ts'
import { ACCEPTED, invalid, jwtSender, remoteSender, unavailable } from '../support/jwt-listener.ts'
import { hanging, keyHost, respondWith } from '../support/key-host.ts'
import { newKey } from '../support/keys.ts'

const KEY = newKey('ES256', 'first')
const NEXT = newKey('ES256', 'next')
const JWKS = { keys: [KEY.publicKey] }
const UNKNOWN = invalid('no ES256 key has this kid')

describe('an expired set, while the host is down', () => {
  it('an expired set is used for 300 tokens of a key it has, with one fetch in 30 s', async () => {
    const { clock, host, send } = await remoteSender(KEY, JWKS)
    await send()
    host.answer = respondWith(500)
    clock.advanceSeconds(601)
    for (let index = 0; index < 300; index += 1) expect(await send()).toMatchObject(ACCEPTED)
    expect(host.requests).toBe(2)
  })

  it.each([
    ['answers 500', () => respondWith(500)],
    ['sends HTML', () => respondWith(200, '<html>')],
    ['sends {}', () => ({})],
    ['sends 101 keys', () => ({ keys: Array(101).fill(KEY.publicKey) })],
  ])('an expired set is used when the host %s', async (_, answer) => {
    const { clock, host, send } = await remoteSender(KEY, JWKS)
    await send()
    host.answer = answer()
    clock.advanceSeconds(3_600)
    expect(await send()).toMatchObject(ACCEPTED)
    expect(host.requests).toBe(2)
  })

  it('an expired set is used for 24 hours beyond its 10 minutes, and not a millisecond longer', async () => {
    const { clock, host, send } = await remoteSender(KEY, JWKS)
    await send()
    host.answer = respondWith(500)
    clock.advance(600_000 + 86_400_000 - 1)
    expect(await send()).toMatchObject(ACCEPTED)
    clock.advance(1)
    await expect(send()).rejects.toMatchObject(unavailable(/status 500/, 30))
    expect(host.requests).toBe(2)
  })

  it('an expired set is used for maxStaleSeconds beyond its 10 minutes, and not a millisecond longer', async () => {
    const { clock, host, send } = await remoteSender(KEY, JWKS, { maxStaleSeconds: 0.5 })
    await send()
    host.answer = respondWith(500)
    clock.advance(600_499)
    expect(await send()).toMatchObject(ACCEPTED)
    clock.advance(1)
    await expect(send()).rejects.toMatchObject(unavailable(/status 500/))
  })

  it('an expired set is not needed when it is too old, if the next attempt succeeds', async () => {
    const { clock, host, send } = await remoteSender(KEY, JWKS, { maxStaleSeconds: 1 })
    await send()
    host.answer = respondWith(500)
    clock.advanceSeconds(601)
    await expect(send()).rejects.toMatchObject(unavailable(/status 500/, 30))
    host.answer = JWKS
    clock.advanceSeconds(30)
    expect(await send()).toMatchObject(ACCEPTED)
  })

  it('an expired set is replaced as soon as the host answers again', async () => {
    const { clock, host, send } = await remoteSender(KEY, JWKS)
    await send()
    host.answer = respondWith(500)
    clock.advanceSeconds(3_600)
    expect(await send()).toMatchObject(ACCEPTED)
    host.answer = { keys: [KEY.publicKey, NEXT.publicKey] }
    await expect(send({ key: NEXT })).rejects.toMatchObject(unavailable(/status 500/, 30))
    clock.advanceSeconds(30)
    expect(await send({ key: NEXT })).toMatchObject(ACCEPTED)
    expect(host.requests).toBe(3)
  })

  it('an expired set is used at once after a recent failure, even if the host hangs now', async () => {
    const { clock, host, send } = await remoteSender(KEY, JWKS)
    await send()
    host.answer = respondWith(500)
    clock.advanceSeconds(601)
    await send()
    host.answer = hanging
    clock.advanceSeconds(30)
    for (let index = 0; index < 50; index += 1) expect(await send()).toMatchObject(ACCEPTED)
    await expect.poll(() => host.requests).toBe(3)
  })

  it.each([
    [59_999, 'at once'],
    [60_000, 'after the next attempt'],
  ])('an expired set is used, %d ms after a failure, %s', async (age, when) => {
    const clock = fakeClock()
    const answers = [() => Response.json(JWKS), () => new Response(null, { status: 500 })]
    const fetch = async () => answers.shift()?.() ?? new Promise<never>(() => {})
    const keySet = remoteKeySet('https://keys.example', { clock, fetch, timeoutSeconds: 0.05 })
    await keySet.find('first', 'ES256')
    clock.advanceSeconds(601)
    await keySet.find('first', 'ES256')
    clock.advance(age)
    const found = keySet.find('first', 'ES256')
    expect(found instanceof Promise ? 'after the next attempt' : 'at once').toBe(when)
    expect(await found).toMatchObject({ type: 'public' })
  })

  it('an expired set makes no delivery wait longer than the timeout if the host hangs', async () => {
    const { clock, host, send } = await remoteSender(KEY, JWKS, { timeoutSeconds: 0.2 })
    await send()
    host.answer = hanging
    clock.advanceSeconds(601)
    const verdicts = await Promise.all(Array.from({ length: 50 }, () => send()))
    for (const verdict of verdicts) expect(verdict).toMatchObject(ACCEPTED)
    // At most one attempt. On a busy machine it is given up before the host has seen it.
    expect(host.requests).toBeLessThanOrEqual(2)
  })
})

describe('no set at all, while the host hangs', () => {
  it('all waiting deliveries are answered within the timeout', async () => {
    const { host, send } = await remoteSender(KEY, hanging, { timeoutSeconds: 0.2 })
    const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => send()))
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: unavailable(/did not answer within 200 ms/),
      })
    }
    expect(host.requests).toBeLessThanOrEqual(1)
  })
})

describe('a renewal in the background', () => {
  it('a renewal keeps the old set when it fails, and is tried again after 30 s', async () => {
    const { clock, host, send } = await remoteSender(KEY, JWKS)
    await send()
    host.answer = respondWith(500)
    clock.advanceSeconds(300)
    expect(await send()).toMatchObject(ACCEPTED)
    await expect.poll(() => host.requests).toBe(2)
    clock.advance(29_999)
    expect(await send()).toMatchObject(ACCEPTED)
    expect(host.requests).toBe(2)
    clock.advance(1)
    expect(await send()).toMatchObject(ACCEPTED)
    await expect.poll(() => host.requests).toBe(3)
    expect(await send()).toMatchObject(ACCEPTED)
  })

  it('a renewal removes a withdrawn key once it is done', async () => {
    const { clock, host, send } = await remoteSender(KEY, JWKS)
    await send()
    host.answer = { keys: [NEXT.publicKey] }
    clock.advanceSeconds(300)
    expect(await send()).toMatchObject(ACCEPTED)
    await expect.poll(() => send({ key: NEXT })).toMatchObject(ACCEPTED)
    expect(await send()).toMatchObject(UNKNOWN)
    expect(host.requests).toBe(2)
  })
})

describe('a clock that is set back', () => {
  it('a clock that is set back does not freeze the set: it is fetched again, and a removed key is gone', async () => {
    const { clock, host, send } = await remoteSender(KEY, JWKS)
    expect(await send()).toMatchObject(ACCEPTED)
    host.answer = { keys: [NEXT.publicKey] }
    clock.advanceSeconds(-86_400 * 365)
    expect(await send()).toMatchObject(UNKNOWN)
    expect(await send({ key: NEXT })).toMatchObject(ACCEPTED)
    expect(host.requests).toBe(2)
  })

  it('a clock that is set back neither delays the next attempt nor promises a long wait', async () => {
    const { clock, host, send } = await remoteSender(KEY, respondWith(500))
    await expect(send()).rejects.toMatchObject(unavailable(/status 500/, 30))
    clock.advanceSeconds(-86_400)
    await expect(send()).rejects.toMatchObject(unavailable(/status 500/, 30))
    expect(host.requests).toBe(2)
    host.answer = JWKS
    clock.advanceSeconds(30)
    expect(await send()).toMatchObject(ACCEPTED)
  })

  it('a clock that is set back does not touch a set whose age is measured by the default clock', async () => {
    const host = await keyHost(JWKS)
    const clock = fakeClock()
    const keySet = remoteKeySet(host.url, { allowInsecureLoopback: true, fetch: host.fetch })
    const { send } = jwtSender(KEY, { clock, keySet })
    for (const seconds of [0, -86_400, 86_400 * 2]) {
      clock.advanceSeconds(seconds)
      expect(await send()).toMatchObject(ACCEPTED)
    }
    expect(host.requests).toBe(1)
  })
})
