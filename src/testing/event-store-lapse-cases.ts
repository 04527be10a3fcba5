import { type Cases, expect, LEASE_MS, RETENTION_MS, SHORT_LEASE_MS } from './event-store-case.ts'

/** 90 days: overflows 32 bits of milliseconds, and is negative when truncated to them. */
const LONG_MS = 7_776_000_000

/** How a store answers after a lease or the retention has ended. */
export const LAPSE_CASES: Cases = {
  'a lease that lapses lets the next claim in': async ({ store, key, advance }) => {
    await store.claim(key, 'crashed', SHORT_LEASE_MS)
    await advance(SHORT_LEASE_MS + 1)
    expect(await store.claim(key, 'b', LEASE_MS), 'acquired')
  },

  'an owner whose lease was taken over can neither commit nor release': async ({ store, key, advance }) => {
    await store.claim(key, 'slow', SHORT_LEASE_MS)
    await advance(SHORT_LEASE_MS + 1)
    await store.claim(key, 'b', LEASE_MS)
    expect(await store.commit(key, 'slow', RETENTION_MS), 'lost')
    expect(await store.release(key, 'slow'), false)
    expect(await store.claim(key, 'c', LEASE_MS), 'busy')
    expect(await store.commit(key, 'b', RETENTION_MS), 'committed')
  },

  'an owner whose lease was taken over is told when the work is done': async ({ store, key, advance }) => {
    await store.claim(key, 'slow', SHORT_LEASE_MS)
    await advance(SHORT_LEASE_MS + 1)
    await store.claim(key, 'b', LEASE_MS)
    await store.commit(key, 'b', RETENTION_MS)
    expect(await store.claim(key, 'slow', LEASE_MS), 'done')
    expect(await store.commit(key, 'slow', RETENTION_MS), 'already')
    expect(await store.release(key, 'slow'), false)
  },

  'a commit after the lease lapsed still counts, if nobody took over': async ({ store, key, advance }) => {
    await store.claim(key, 'slow', SHORT_LEASE_MS)
    await advance(SHORT_LEASE_MS + 1)
    expect(await store.commit(key, 'slow', RETENTION_MS), 'committed')
    expect(await store.claim(key, 'b', LEASE_MS), 'done')
  },

  'a release after the lease lapsed finds nothing, also if nobody took over': async ({
    store,
    key,
    advance,
  }) => {
    await store.claim(key, 'slow', SHORT_LEASE_MS)
    await advance(SHORT_LEASE_MS + 1)
    expect(await store.release(key, 'slow'), false)
    expect(await store.claim(key, 'b', LEASE_MS), 'acquired')
  },

  'an event is forgotten when its retention is over, and not before': async ({ store, key, advance }) => {
    await store.claim(key, 'a', LEASE_MS)
    await store.commit(key, 'a', 10 * SHORT_LEASE_MS)
    await advance(SHORT_LEASE_MS)
    expect(await store.claim(key, 'b', LEASE_MS), 'done')
    await advance(10 * SHORT_LEASE_MS)
    expect(await store.claim(key, 'c', LEASE_MS), 'acquired')
  },

  'after the retention the owner of that time is an owner like any other': async ({
    store,
    key,
    advance,
  }) => {
    await store.claim(key, 'a', LEASE_MS)
    await store.commit(key, 'a', SHORT_LEASE_MS)
    await advance(SHORT_LEASE_MS + 1)
    expect(await store.release(key, 'a'), false)
    expect(await store.claim(key, 'a', LEASE_MS), 'acquired')
    expect(await store.claim(key, 'b', LEASE_MS), 'busy')
    expect(await store.commit(key, 'a', RETENTION_MS), 'committed')
  },

  'a lease and a retention may be months, and need not be whole milliseconds': async ({ store, key }) => {
    expect(await store.claim(key, 'a', LONG_MS + 0.3), 'acquired')
    expect(await store.claim(key, 'b', 1100.0000000000002), 'busy')
    expect(await store.commit(key, 'a', LONG_MS + 0.3), 'committed')
    expect(await store.claim(key, 'b', LEASE_MS), 'done')
  },
}
