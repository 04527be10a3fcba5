import { type Cases, expect, LEASE_MS, RETENTION_MS } from './event-store-case.ts'

/** How claim, commit and release answer before any lease or retention ends. */
export const VERB_CASES: Cases = {
  'a new event is acquired': async ({ store, key }) => {
    expect(await store.claim(key, 'a', LEASE_MS), 'acquired')
  },

  'a claim repeated by its owner is acquired again, so that a lost reply can be asked for': async ({
    store,
    key,
  }) => {
    await store.claim(key, 'a', LEASE_MS)
    expect(await store.claim(key, 'a', LEASE_MS), 'acquired')
    expect(await store.claim(key, 'b', LEASE_MS), 'busy')
  },

  'a committed event is done for everyone, its owner included': async ({ store, key }) => {
    await store.claim(key, 'a', LEASE_MS)
    expect(await store.commit(key, 'a', RETENTION_MS), 'committed')
    expect(await store.claim(key, 'b', LEASE_MS), 'done')
    expect(await store.claim(key, 'a', LEASE_MS), 'done')
  },

  'a commit that is repeated answers already': async ({ store, key }) => {
    await store.claim(key, 'a', LEASE_MS)
    await store.commit(key, 'a', RETENTION_MS)
    expect(await store.commit(key, 'a', RETENTION_MS), 'already')
  },

  'a released event can be claimed again': async ({ store, key }) => {
    await store.claim(key, 'a', LEASE_MS)
    expect(await store.release(key, 'a'), true)
    expect(await store.claim(key, 'b', LEASE_MS), 'acquired')
  },

  'only its owner can release a lease': async ({ store, key }) => {
    await store.claim(key, 'a', LEASE_MS)
    expect(await store.release(key, 'b'), false)
    expect(await store.claim(key, 'c', LEASE_MS), 'busy')
  },

  'a committed event cannot be released': async ({ store, key }) => {
    await store.claim(key, 'a', LEASE_MS)
    await store.commit(key, 'a', RETENTION_MS)
    expect(await store.release(key, 'a'), false)
    expect(await store.claim(key, 'b', LEASE_MS), 'done')
  },

  'an event that nobody claimed cannot be released': async ({ store, key }) => {
    expect(await store.release(key, 'a'), false)
  },

  'a commit of an event that is not recorded is kept: the work was done': async ({ store, key }) => {
    expect(await store.commit(key, 'a', RETENTION_MS), 'committed')
    expect(await store.claim(key, 'b', LEASE_MS), 'done')
    expect(await store.claim(key, 'a', LEASE_MS), 'done')
    expect(await store.release(key, 'a'), false)
    expect(await store.commit(key, 'a', RETENTION_MS), 'already')
  },

  'a released event can be claimed again by the same owner, and committed': async ({ store, key }) => {
    await store.claim(key, 'a', LEASE_MS)
    await store.release(key, 'a')
    expect(await store.release(key, 'a'), false)
    expect(await store.claim(key, 'a', LEASE_MS), 'acquired')
    expect(await store.claim(key, 'b', LEASE_MS), 'busy')
    expect(await store.commit(key, 'a', RETENTION_MS), 'committed')
    expect(await store.claim(key, 'b', LEASE_MS), 'done')
  },

  'nobody can commit what another owner has leased': async ({ store, key }) => {
    await store.claim(key, 'a', LEASE_MS)
    expect(await store.commit(key, 'b', RETENTION_MS), 'lost')
    expect(await store.claim(key, 'c', LEASE_MS), 'busy')
    expect(await store.commit(key, 'a', RETENTION_MS), 'committed')
  },

  'two events do not disturb each other, on one listener and under one owner': async ({ store, key }) => {
    const other = { ...key, eventId: crypto.randomUUID() }
    expect(await store.claim(key, 'a', LEASE_MS), 'acquired')
    expect(await store.claim(other, 'a', LEASE_MS), 'acquired')
    expect(await store.commit(key, 'a', RETENTION_MS), 'committed')
    expect(await store.claim(other, 'b', LEASE_MS), 'busy')
    expect(await store.release(other, 'a'), true)
    expect(await store.claim(key, 'b', LEASE_MS), 'done')
    expect(await store.claim(other, 'b', LEASE_MS), 'acquired')
  },
}
