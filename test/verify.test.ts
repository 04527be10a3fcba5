import { setImmediate } from 'node:timers/promises'
import { describe, expect, expectTypeOf, it, vi } from 'vitest'
import {
  type Accepted,
  type Handshake,
  type Json,
  type Reason,
  type Rejected,
  type Verdict,
  type VerdictContext,
  verify,
  type WebhookEvent,
} from '../src/index.ts'
import { hmacListener, SECRET, withHeaders } from './support/hmac-listener.ts'
import { acceptedEvent, outcome } from './support/outcome.ts'

const ID = '7F1D3C5E-0A4B-4C8D-9E2F-112233445566'

describe('an accepted delivery', () => {
  it('an accepted delivery is an event with everything that was verified', async () => {
    const { listener, deliver, clock } = hmacListener()
    const delivery = await deliver({ eventId: ID, timestamp: clock.seconds() - 9, body: ' {"a":[1]}' })
    expect(await verify(delivery, listener)).toStrictEqual({
      ok: true,
      event: {
        id: ID.toLowerCase(),
        listenerId: 'L1',
        sentAt: new Date((clock.seconds() - 9) * 1000),
        payload: { a: [1] },
        rawBody: new TextEncoder().encode(' {"a":[1]}'),
        auth: { method: 'hmac', secretId: 'main' },
        commit: expect.any(Function),
        release: expect.any(Function),
      },
    })
  })

  it('the event can be taken apart: commit and release need no `this`', async () => {
    const { listener, deliver } = hmacListener()
    const { commit, release } = await acceptedEvent(await deliver(), listener)
    expect(await commit()).toBe('committed')
    expect(await release()).toBe(false)
  })

  it('verify() asks only for the headers it needs, by their lower-case names', async () => {
    const { listener, deliver } = hmacListener()
    const delivery = await deliver()
    const asked = new Set<string>()
    const header = (name: string) => {
      asked.add(name)
      return delivery.header(name)
    }
    expect(await outcome({ ...delivery, header }, listener)).toBe('accepted')
    expect([...asked].sort()).toStrictEqual([
      'content-encoding',
      'content-type',
      'webhook-event-id',
      'webhook-signature',
      'webhook-timestamp',
    ])
  })

  it('an accepted delivery is judged as it was at the call, even if its bytes change meanwhile', async () => {
    const { listener, deliver } = hmacListener()
    const delivery = await deliver({ body: '{"a":1}' })
    const verdict = verify(delivery, listener)
    delivery.body.set(new TextEncoder().encode('{"a":2}'))
    expect(await verdict).toMatchObject({ ok: true, event: { payload: { a: 1 } } })
    expect(await outcome(delivery, listener)).toBe('401 signature_mismatch')
  })

  it('verify() reads the clock once', async () => {
    const now = vi.fn(() => 1_790_000_000_000)
    const { listener, deliver } = hmacListener({ clock: { now } })
    expect(await outcome(await deliver(), listener)).toBe('accepted')
    expect(now).toHaveBeenCalledTimes(1)
  })
})

describe('the verdict', () => {
  it('the verdict is told apart by ok', () => {
    expectTypeOf<Verdict>().toEqualTypeOf<Accepted | Rejected | Handshake>()
    expectTypeOf<Extract<Verdict<Json>, { ok: true }>['event']>().toEqualTypeOf<WebhookEvent<Json>>()
    expectTypeOf<Extract<Verdict, { ok: false; handshake?: undefined }>['reason']>().toEqualTypeOf<Reason>()
    expectTypeOf<Rejected['status']>().toEqualTypeOf<200 | 400 | 401 | 403 | 405 | 409 | 503>()
  })

  it('the verdict of a refusal holds no secret, signature or body', async () => {
    const { listener, deliver } = hmacListener()
    const delivery = await deliver({ body: '{"password":"hunter2"}' })
    const signature = String(delivery.header('webhook-signature'))
    const wrong = withHeaders(delivery, { 'webhook-signature': `${signature.slice(0, -1)}!` })
    const mismatch = withHeaders(delivery, { 'webhook-event-id': crypto.randomUUID() })
    for (const refused of [wrong, mismatch, { ...delivery, method: 'PUT' }]) {
      const text = JSON.stringify(await verify(refused, listener))
      expect(text).toContain('"ok":false')
      for (const hidden of [SECRET, signature.slice(0, 20), 'hunter2', 'password']) {
        expect(text).not.toContain(hidden)
      }
    }
  })
})

describe('onVerdict', () => {
  function watched() {
    const told: { verdict: Verdict; context: VerdictContext }[] = []
    const onVerdict = (verdict: Verdict, context: VerdictContext) => told.push({ verdict, context })
    return { told, ...hmacListener({ onVerdict }) }
  }

  it('onVerdict gets an accepted delivery, with its event ID, its source and its duration', async () => {
    const { told, listener, deliver } = watched()
    const delivery = await deliver({ eventId: ID, sourceIp: '192.0.2.1' })
    const startedAt = performance.now()
    const verdict = await verify(delivery, listener)
    const took = performance.now() - startedAt
    expect(told).toStrictEqual([
      {
        verdict,
        context: {
          listenerId: 'L1',
          eventId: ID.toLowerCase(),
          sourceIp: '192.0.2.1',
          durationMs: expect.any(Number),
        },
      },
    ])
    expect(told[0]?.context.durationMs).toBeGreaterThanOrEqual(0)
    expect(told[0]?.context.durationMs).toBeLessThanOrEqual(took)
  })

  it('onVerdict gets a refused delivery, with its event ID only if that is valid', async () => {
    const { told, listener, deliver } = watched()
    await verify(withHeaders(await deliver(), { 'webhook-signature': undefined }), listener)
    await verify(withHeaders(await deliver(), { 'webhook-event-id': 'forged\r\nlog line' }), listener)
    await verify({ ...(await deliver()), method: 'GET' }, listener)
    expect(
      told.map(({ verdict, context }) => [!verdict.ok && verdict.reason, 'eventId' in context]),
    ).toStrictEqual([
      ['auth_missing', true],
      ['event_id_not_uuid_v4', false],
      ['method_not_post', false],
    ])
  })

  it.each([undefined, '', 'forged\r\nlog line', 'x'.repeat(100_000), '10.0.0.1:80', 'fe80::1%eth0'])(
    'onVerdict does not get a source like %j, which is not an address',
    async (sourceIp) => {
      const { told, listener, deliver } = watched()
      await verify({ ...(await deliver()), sourceIp }, listener)
      expect(told[0]?.context).not.toHaveProperty('sourceIp')
    },
  )

  it.each([
    [
      'throws',
      () => {
        throw new Error('of the hook')
      },
    ],
    ['rejects', () => Promise.reject(new Error('of the hook'))],
    ['never ends', () => new Promise(() => {})],
  ])('onVerdict changes and delays nothing if it %s', async (_, onVerdict) => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    const { listener, deliver } = hmacListener({ onVerdict })
    const delivery = await deliver()
    expect(await outcome(delivery, listener)).toBe('accepted')
    expect(await outcome(delivery, listener)).toBe('503 event_in_progress')
    await setImmediate()
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })
})

describe('verify() itself', () => {
  it("verify() rejects with an authenticator's error, tells onError, and claims nothing", async () => {
    const onError = vi.fn()
    const onVerdict = vi.fn()
    const fault = new TypeError('a bug')
    const authenticate = () => Promise.reject(fault)
    const { listener, deliver } = hmacListener({ onError, onVerdict, auth: { method: 'hmac', authenticate } })
    await expect(verify(await deliver(), listener)).rejects.toBe(fault)
    expect(onError).toHaveBeenCalledExactlyOnceWith(fault, expect.objectContaining({ listenerId: 'L1' }))
    expect(onVerdict).not.toHaveBeenCalled()
  })

  it('verify() rejects and never throws, so that one error handler is enough', async () => {
    const authenticate = () => {
      throw new Error('at once')
    }
    const { listener, deliver } = hmacListener({ auth: { method: 'hmac', authenticate } })
    const delivery = await deliver()
    let answer: Promise<unknown> | undefined
    expect(() => {
      answer = verify(delivery, listener)
    }).not.toThrow()
    await expect(answer).rejects.toThrow('at once')
  })
})
