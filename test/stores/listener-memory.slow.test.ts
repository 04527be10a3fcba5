import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { EventStore } from '../../src/index.ts'
import type { Listener } from '../../src/listener.ts'
import { listeners } from '../../src/listeners.ts'
import { noteClaim } from '../../src/shared-id.ts'
import { withLocalCache } from '../../src/stores/local-cache.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { fakeClock } from '../support/clock.ts'
import { liveBytes } from '../support/live-memory.ts'

const LISTENERS = 500_000
const MEGABYTE = 2 ** 20
const LEASE_MS = 60_000
const DAY_MS = 86_400_000

/** One event each for many listeners that never come again. */
function* keys() {
  for (let number = 0; number < LISTENERS; number += 1) {
    const hex = number.toString(16).padStart(12, '0')
    yield { listenerId: `https://tenant-${hex}.example`, eventId: `7f1d3c5e-0a4b-4c8d-9e2f-${hex}` }
  }
}

/** A store whose events are all done, to measure only what is in front of it. */
const allDone: EventStore = { claim: () => 'done', commit: () => 'committed', release: () => false }

describe(`what ${LISTENERS} listeners leave behind that came and went`, () => {
  it('a memory store keeps nothing of listeners whose events are released', () => {
    const store = memoryStore()
    const before = liveBytes()
    for (const key of keys()) {
      store.claim(key, 'a', LEASE_MS)
      store.release(key, 'a')
    }
    expect(liveBytes() - before).toBeLessThan(2 * MEGABYTE)
    expect(store.claim({ listenerId: 'L1', eventId: crypto.randomUUID() }, 'a', LEASE_MS)).toBe('acquired')
  })

  it('a memory store that was asked for unknown events keeps nothing', () => {
    const store = memoryStore()
    const before = liveBytes()
    for (const key of keys()) store.release(key, 'a')
    expect(liveBytes() - before).toBeLessThan(2 * MEGABYTE)
    expect(store.release({ listenerId: 'L1', eventId: crypto.randomUUID() }, 'a')).toBe(false)
  })

  it('a memory store keeps 400 bytes for each event that it still remembers', () => {
    const store = memoryStore({ maxRecords: LISTENERS })
    const before = liveBytes()
    for (const key of keys()) store.commit(key, 'a', DAY_MS)
    expect(liveBytes() - before).toBeLessThan(LISTENERS * 400)
    for (const key of keys()) if (store.claim(key, 'b', LEASE_MS) !== 'done') throw new Error(key.listenerId)
  })

  it('what is known of the IDs of 300,000 listeners that have claimed goes with them', async () => {
    const store = memoryStore()
    const before = liveBytes()
    for (let count = 0; count < 300_000; count += 1) {
      const id = `https://tenant-${count}.example`
      noteClaim({ id, store, auth: {}, protocol: {} } as Listener<unknown>) // as far as it is read
      if (count % 10_000 === 0) await setImmediate() // what was collected is told of in a turn of its own
    }
    // Kept, they take 100 MB.
    await expect.poll(() => liveBytes() - before, { interval: 1000 }).toBeLessThan(20 * MEGABYTE)
    expect(store.claim({ listenerId: 'L1', eventId: crypto.randomUUID() }, 'a', LEASE_MS)).toBe('acquired')
  })

  it('a local cache keeps 300 bytes for each event that fits', () => {
    const store = withLocalCache(allDone, { maxRecords: LISTENERS })
    const before = liveBytes()
    for (const key of keys()) store.claim(key, 'a', LEASE_MS)
    expect(liveBytes() - before).toBeLessThan(LISTENERS * 300)
    expect(store.claim({ listenerId: 'L1', eventId: crypto.randomUUID() }, 'a', LEASE_MS)).toBe('done')
  })

  it('a local cache keeps nothing for events that do not fit', () => {
    const store = withLocalCache(allDone, { maxRecords: 1000 })
    const before = liveBytes()
    for (const key of keys()) store.claim(key, 'a', LEASE_MS)
    expect(liveBytes() - before).toBeLessThan(2 * MEGABYTE)
    expect(store.claim({ listenerId: 'L1', eventId: crypto.randomUUID() }, 'a', LEASE_MS)).toBe('done')
  })
})

describe('what made-up IDs leave behind in listeners()', () => {
  it('the IDs that fit are kept, and not the URLs around them', async () => {
    const cache = listeners({ load: () => undefined, maxUnknown: 5000 })
    const before = liveBytes()
    for (let number = 0; number < 50_000; number += 1) {
      const url = `/webhooks/a-made-up-tenant-${number}/${'x'.repeat(8000)}`
      await cache.find(url.slice(10, 35))
    }
    expect(liveBytes() - before).toBeLessThan(5 * MEGABYTE)
    expect(await cache.find('L1')).toBeUndefined()
  })

  it('nothing is kept while every load fails', async () => {
    const load = () => Promise.reject(new Error('the database is down'))
    const cache = listeners({ load, maxUnknown: 100_000 })
    const before = liveBytes()
    for (let number = 0; number < 3000; number += 1)
      await Promise.allSettled([cache.find(`made up ${number}`)])
    expect(liveBytes() - before).toBeLessThan(2 * MEGABYTE)
    await expect(cache.find('L1')).rejects.toThrow()
  })
})

describe('what loads leave behind that ended with their requests, as on Workers', () => {
  it('a cache of listeners keeps none of them, although the oldest is begun again and again', async () => {
    vi.stubGlobal('WebSocketPair', class {})
    vi.stubGlobal('setTimeout', () => 0) // the timers end with the request, too
    vi.resetModules()
    onTestFinished(() => {
      vi.unstubAllGlobals()
      vi.resetModules()
    })
    const workers = await import('../../src/listeners.ts')
    const clock = fakeClock()
    const cache = workers.listeners({ clock, load: () => new Promise<undefined>(() => {}) })
    const before = liveBytes()
    for (let round = 0; round < 20; round += 1) {
      cache.find('oldest')
      for (let number = 0; number < 1000; number += 1) cache.find(`${round}-${number}`)
      clock.advance(6001)
    }
    cache.find('oldest')
    cache.find('newest')
    expect(liveBytes() - before).toBeLessThan(2 * MEGABYTE)
    cache.forget('oldest') // keeps the cache alive until it was measured
  })
})
