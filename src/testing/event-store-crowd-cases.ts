import type { EventStore } from '../event-store.ts'
import {
  type Cases,
  expect,
  LEASE_MS,
  RACERS,
  RETENTION_MS,
  SHORT_LEASE_MS,
  type Subject,
} from './event-store-case.ts'

const CROWD = 200

/** How a store answers concurrent calls. */
export const CROWD_CASES: Cases = {
  [`of ${RACERS} claims at once exactly one is acquired and the others are busy`]: async (subject) => {
    const answers = await claimsAtOnce(subject)
    expect(count(answers, 'acquired'), 1)
    expect(count(answers, 'busy'), RACERS - 1)
  },

  [`of ${RACERS} claims at once on a lapsed lease exactly one is acquired`]: async (subject) => {
    await lapsedLease(subject)
    const answers = await claimsAtOnce(subject)
    expect(count(answers, 'acquired'), 1)
    expect(count(answers, 'busy'), RACERS - 1)
  },

  [`of ${RACERS} claims at once on a committed event none is acquired`]: async (subject) => {
    await subject.store.commit(subject.key, 'a', RETENTION_MS)
    expect(count(await claimsAtOnce(subject), 'done'), RACERS)
  },

  [`of ${RACERS} commits at once after a lapsed lease one is committed and the others come too late`]: async (
    subject,
  ) => {
    const { store, key } = subject
    await lapsedLease(subject)
    const answers = await Promise.all(owners().map(async (owner) => store.commit(key, owner, RETENTION_MS)))
    expect(count(answers, 'committed'), 1)
    expect(count(answers, 'already'), RACERS - 1)
    expect(await store.claim(key, 'b', LEASE_MS), 'done')
  },

  'a late commit and many claims at once agree on who has the event': async (subject) => {
    const { store, key } = subject
    await lapsedLease(subject)
    const commit = async () => store.commit(key, 'crashed', RETENTION_MS)
    const [committed, answers] = await Promise.all([commit(), claimsAtOnce(subject)])
    expect(count(answers, 'acquired'), committed === 'committed' ? 0 : 1)
    expect(committed === 'committed' || committed === 'lost', true)
    expect(await store.claim(key, 'b', LEASE_MS), committed === 'committed' ? 'done' : 'busy')
  },

  'a release and many claims at once let one claim in at most': async (subject) => {
    const { store, key } = subject
    await store.claim(key, 'a', LEASE_MS)
    const release = async () => store.release(key, 'a')
    const [answers, released] = await Promise.all([claimsAtOnce(subject), release()])
    expect(released, true)
    expect(count(answers, 'acquired') <= 1, true)
    expect(count(answers, 'done'), 0)
  },

  [`claims of ${CROWD} events at once are all acquired`]: async ({ store }) => {
    const keys = Array.from({ length: CROWD }, () => ({ listenerId: 'crowd', eventId: crypto.randomUUID() }))
    const answers = await Promise.all(keys.map(async (key) => store.claim(key, 'a', LEASE_MS)))
    expect(count(answers, 'acquired'), CROWD)
    await Promise.all(keys.map(async (key) => store.release(key, 'a')))
  },
}

const owners = () => Array.from({ length: RACERS }, (_, index) => `racer-${index}`)

function claimsAtOnce({ store, key }: Subject): Promise<Awaited<ReturnType<EventStore['claim']>>[]> {
  return Promise.all(owners().map(async (owner) => store.claim(key, owner, LEASE_MS)))
}

/** Simulates a crashed process: claims the event and lets the lease expire. */
async function lapsedLease({ store, key, advance }: Subject): Promise<void> {
  await store.claim(key, 'crashed', SHORT_LEASE_MS)
  await advance(SHORT_LEASE_MS + 1)
}

function count(answers: readonly string[], wanted: string): number {
  return answers.filter((answer) => answer === wanted).length
}
