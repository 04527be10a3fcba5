import { describe, expect, it, vi } from 'vitest'
import { createReceiver } from '../adapters/kit/index.ts'
import type { Delivery, Listener, ListenerOptions } from '../src/index.ts'
import { listeners } from '../src/listeners.ts'
import { memoryStore } from '../src/stores/memory.ts'
import { fakeClock } from './support/clock.ts'
import { es256Listener } from './support/es256-listener.ts'
import { hmacListener } from './support/hmac-listener.ts'

type Endpoint = ReturnType<typeof hmacListener>

/** Listeners on one store, and what is told of them. */
function scene(options: Partial<ListenerOptions> = {}) {
  const store = memoryStore()
  const told: unknown[] = []
  const onError = (error: unknown, context: unknown) => told.push([error, context])
  const endpoint = (own: Partial<ListenerOptions> = {}) =>
    hmacListener({ store, onError, ...options, ...own })
  return { store, told, onError, endpoint }
}

/** As an adapter receives a delivery: `verify` alone tells of no listener. */
async function received({ method, header, body }: Delivery, listener: Listener) {
  const incoming = {
    ...{ method, header, sourceIp: () => undefined },
    ...{ readBody: async () => body, whenGone: () => {} },
  }
  return createReceiver(listener).receiveAndClaim({}, incoming)
}

const claims = async (...endpoints: Endpoint[]) => {
  for (const { listener, deliver } of endpoints) await received(await deliver(), listener)
}

describe('two listeners with one ID and one store', () => {
  it('are told once, when both are at work, with the fix', async () => {
    const { endpoint, told } = scene()
    const [one, other] = [endpoint(), endpoint()]
    await claims(one, other)
    expect(told).toEqual([])
    await claims(one, other, one, other)
    expect(told).toEqual([
      [
        expect.objectContaining({
          code: 'ERR_LISTENER_CONFIG',
          message: expect.stringMatching(/"L1" is the id of two listeners with one store.*give each its own/),
        }),
        { listenerId: 'L1', durationMs: 0 },
      ],
    ])
  })

  it('are told though one of them only gets duplicates of the other', async () => {
    const { endpoint, told } = scene()
    const [one, other] = [endpoint(), endpoint()]
    const delivery = await one.deliver()
    for (const { listener } of [one, other, one, other]) await received(delivery, listener)
    expect(told).toHaveLength(1)
  })

  it('are told at once if they are of different senders', async () => {
    const { store, onError, endpoint, told } = scene()
    const other = await es256Listener({ store, onError })
    await claims(endpoint())
    await received(await other.deliver(), other.listener)
    expect(told).toHaveLength(1)
  })

  it.each([undefined, null])('are told on the console if onError is %s, or not at all', async (onError) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { endpoint } = scene({ onError })
    const [one, other] = [endpoint(), endpoint()]
    await claims(one, other, one)
    expect(warn.mock.calls).toEqual(
      onError === null
        ? []
        : [
            [
              expect.stringMatching(
                /^hookgate: listener "L1" failed: ERR_LISTENER_CONFIG: .*"L1" is the id of two listeners/,
              ),
            ],
          ],
    )
  })

  it('decide their deliveries as before, whatever the hook does', async () => {
    const { endpoint } = scene()
    const onError = () => {
      throw new Error('the hook fails')
    }
    const [one, other] = [endpoint({ onError }), endpoint({ onError })]
    await claims(one, other)
    expect(await received(await one.deliver(), one.listener)).toMatchObject({ event: { listenerId: 'L1' } })
  })
})

describe('nothing is told of', () => {
  it('listeners whose IDs or stores differ', async () => {
    const { endpoint, told } = scene()
    const [one, two, three] = [endpoint(), endpoint({ id: 'L2' }), endpoint({ store: memoryStore() })]
    await claims(one, two, three, one, two, three)
    expect(told).toEqual([])
  })

  it('a listener that another one replaces, again and again, as at a hot reload', async () => {
    const { endpoint, told } = scene()
    for (let count = 0; count < 20; count += 1) {
      const reloaded = endpoint()
      await claims(reloaded, reloaded)
    }
    expect(told).toEqual([])
  })

  it.each(['ttlSeconds', 'forget()', 'maxListeners'] as const)(
    'a tenant that listeners() loads again after %s, while deliveries of before still claim',
    async (why) => {
      const { endpoint, told } = scene()
      const clock = fakeClock()
      const tenants = listeners({
        clock,
        maxListeners: 1,
        staleSeconds: 0,
        load: (id) => endpoint({ id }).listener,
      })
      const found = async () => {
        const listener = await tenants.find('tenant')
        if (listener === undefined) throw new Error('it is known')
        return listener
      }
      const { deliver } = endpoint()
      const before = await found()
      await received(await deliver(), before)
      if (why === 'ttlSeconds') clock.advanceSeconds(61)
      if (why === 'forget()') tenants.forget('tenant')
      if (why === 'maxListeners') await tenants.find('another')
      const after = await found()
      expect(after).not.toBe(before)
      for (const listener of [after, before, after, before, after]) await received(await deliver(), listener)
      expect(told).toEqual([])
    },
  )
})
