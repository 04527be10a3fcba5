import { type Cases, expect, LEASE_MS, RACERS, RETENTION_MS } from './event-store-case.ts'

/** What claim, commit and release answer while leases and retention run. */
export const VERB_CASES: Cases = {
  'a new event is acquired': async ({ store, key }) => {
    expect(await store.claim(key, 'a', LEASE_MS), 'acquired')
  },

  [`of ${RACERS} claims at once exactly one is acquired and the others are busy`]: async ({ store, key }) => {
    const owners = Array.from({ length: RACERS }, (_, index) => `racer-${index}`)
    const answers = await Promise.all(owners.map(async (owner) => store.claim(key, owner, LEASE_MS)))
    expect(answers.filter((answer) => answer === 'acquired').length, 1)
    expect(answers.filter((answer) => answer === 'busy').length, RACERS - 1)
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
  },

  'the same event ID on another listener is another event': async ({ store, key }) => {
    await store.claim(key, 'a', LEASE_MS)
    await store.commit(key, 'a', RETENTION_MS)
    const elsewhere = { ...key, listenerId: `${key.listenerId}-2` }
    expect(await store.claim(elsewhere, 'a', LEASE_MS), 'acquired')
    expect(await store.release(elsewhere, 'a'), true)
    expect(await store.claim(key, 'b', LEASE_MS), 'done')
  },

  'listener ids that are easily confused stay apart': async ({ store, key }) => {
    for (const listenerId of [
      'a',
      'A',
      'a:',
      ':a',
      'a:b',
      'a\u0000',
      '{a}',
      '1:a',
      ' a',
      'ä',
      'a\u0308',
      '%61',
    ]) {
      expect(await store.claim({ ...key, listenerId }, listenerId, LEASE_MS), 'acquired')
    }
  },
}
