import { type Cases, expect, LEASE_MS, RACERS, RETENTION_MS } from './event-store-case.ts'

const SHORT_LEASE_MS = 100

/** What they answer when a lease or the retention is over. */
export const LAPSE_CASES: Cases = {
  [`of ${RACERS} claims at once on a lapsed lease exactly one is acquired`]: async ({
    store,
    key,
    advance,
  }) => {
    await store.claim(key, 'crashed', SHORT_LEASE_MS)
    await advance(SHORT_LEASE_MS + 1)
    const owners = Array.from({ length: RACERS }, (_, index) => `racer-${index}`)
    const answers = await Promise.all(owners.map(async (owner) => store.claim(key, owner, LEASE_MS)))
    expect(answers.filter((answer) => answer === 'acquired').length, 1)
  },

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

  'a commit after the lease lapsed still counts, if nobody took over': async ({ store, key, advance }) => {
    await store.claim(key, 'slow', SHORT_LEASE_MS)
    await advance(SHORT_LEASE_MS + 1)
    expect(await store.commit(key, 'slow', RETENTION_MS), 'committed')
    expect(await store.claim(key, 'b', LEASE_MS), 'done')
  },

  'an event is forgotten when its retention is over, and not before': async ({ store, key, advance }) => {
    await store.claim(key, 'a', LEASE_MS)
    await store.commit(key, 'a', 10 * SHORT_LEASE_MS)
    await advance(SHORT_LEASE_MS)
    expect(await store.claim(key, 'b', LEASE_MS), 'done')
    await advance(10 * SHORT_LEASE_MS)
    expect(await store.claim(key, 'c', LEASE_MS), 'acquired')
  },
}
