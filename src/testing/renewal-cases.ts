import type { EventKey } from '../event-store.ts'
import {
  claim,
  commit,
  count,
  crowd,
  expect,
  expectDone,
  inTurn,
  LEASE_MS,
  LONG_MS,
  lapsedLease,
  RETENTION_MS,
  release,
  renew,
  renewed,
  SHORT_LEASE_MS,
  type Step,
  type Subject,
  wait,
} from './event-store-steps.ts'

/** Ends a running lease early, so that a case need not be fast. */
const shorten = (owner: string) => inTurn(renew(owner, true, SHORT_LEASE_MS), wait(SHORT_LEASE_MS + 1))

/** What is required of a store that can renew a lease. */
export const RENEWAL_CASES: { readonly [name: string]: Step } = {
  'a renewed lease outlasts its first end': inTurn(
    claim('a', 'acquired', 5 * SHORT_LEASE_MS),
    renew('a', true),
    wait(5 * SHORT_LEASE_MS + 1),
    claim('b', 'busy'),
    renew('a', true),
    commit('a', 'committed'),
    claim('b', 'done'),
  ),

  'a renewed lease begins anew, so that it may also end earlier': inTurn(
    claim('a', 'acquired'),
    shorten('a'),
    claim('b', 'acquired'),
    commit('a', 'lost'),
  ),

  'a renewal can be repeated, so that a lost reply can be asked for': inTurn(
    claim('a', 'acquired'),
    renew('a', true),
    renew('a', true),
    claim('b', 'busy'),
    claim('a', 'acquired'),
  ),

  'a renewed lease can be released, and is then free': inTurn(
    claim('a', 'acquired'),
    renew('a', true),
    release('a', true),
    claim('b', 'acquired'),
  ),

  'an event that nobody claimed cannot be renewed, and stays free': inTurn(
    renew('a', false),
    claim('b', 'acquired'),
  ),

  'only its owner can renew a lease': inTurn(
    claim('a', 'acquired'),
    renew('b', false),
    claim('c', 'busy'),
    commit('a', 'committed'),
  ),

  'a renewal by somebody else does not lengthen the lease': inTurn(
    claim('a', 'acquired', SHORT_LEASE_MS),
    renew('b', false),
    wait(SHORT_LEASE_MS + 1),
    claim('c', 'acquired'),
  ),

  'a lease that lapsed cannot be renewed, also if nobody took over': inTurn(
    lapsedLease('slow'),
    renew('slow', false),
    claim('b', 'acquired'),
  ),

  'an owner whose lease was taken over cannot renew it': inTurn(
    lapsedLease('slow'),
    claim('b', 'acquired'),
    renew('slow', false),
    claim('c', 'busy'),
    commit('b', 'committed'),
  ),

  'an owner whose lease was taken over and released cannot renew it, and the event stays free': inTurn(
    lapsedLease('slow'),
    claim('b', 'acquired'),
    release('b', true),
    renew('slow', false),
    claim('c', 'acquired'),
  ),

  'an owner whose lease was taken over and committed cannot renew it, and the event stays done': inTurn(
    lapsedLease('slow'),
    claim('b', 'acquired'),
    commit('b', 'committed'),
    renew('slow', false),
    claim('c', 'done'),
    commit('slow', 'already'),
  ),

  'an owner that has released cannot renew, and the event stays free': inTurn(
    claim('a', 'acquired'),
    release('a', true),
    renew('a', false),
    claim('b', 'acquired'),
  ),

  'a committed event cannot be renewed, and stays done': inTurn(
    claim('a', 'acquired'),
    commit('a', 'committed'),
    renew('a', false),
    claim('b', 'done'),
    claim('a', 'done'),
  ),

  'a committed event is not remembered for longer, because its owner renews': inTurn(
    claim('a', 'acquired'),
    commit('a', 'committed', SHORT_LEASE_MS),
    renew('a', false),
    wait(SHORT_LEASE_MS + 1),
    claim('b', 'acquired'),
  ),

  'a renewed lease may last months, and need not be whole milliseconds': inTurn(
    claim('a', 'acquired'),
    renew('a', true, LONG_MS + 0.3),
    claim('b', 'busy'),
    renew('a', true, 1_100_000.0000000002),
    claim('b', 'busy'),
    commit('a', 'committed'),
  ),

  'a renewal of an event on one listener leaves its lease on another alone': async (subject) => {
    const elsewhere = { listenerId: `${subject.key.listenerId}-2` }
    await inTurn(claim('a', 'acquired'), renew('a', true))(subject)
    await inTurn(renew('a', false), claim('a', 'acquired'))(subject, elsewhere)
    await shorten('a')(subject)
    await claim('b', 'acquired')(subject)
    await claim('b', 'busy')(subject, elsewhere)
  },

  'renewals tell listener ids apart that are long, or hold NUL or emoji': async (subject) => {
    const ends = ['1', '2', '', '\u0000', '😀', '😁']
    const keys = ['x'.repeat(999), 'x'].flatMap((start) => ends.map((end) => ({ listenerId: start + end })))
    for (const key of keys) await claim('a', 'acquired')(subject, key)
    const [lapsing, lasting] = [0, 1].map((rest) => keys.filter((_, index) => index % 2 === rest))
    for (const key of lapsing ?? []) await renew('a', true, SHORT_LEASE_MS)(subject, key)
    for (const key of lasting ?? []) await renew('a', true)(subject, key)
    await wait(SHORT_LEASE_MS + 1)(subject)
    for (const key of lapsing ?? []) await claim('b', 'acquired')(subject, key)
    for (const key of lasting ?? []) await claim('b', 'busy')(subject, key)
  },

  'a renewal and two claims at once, while the lease lapses, never leave two owners': async (subject) => {
    const { store, other } = subject
    const keys = crowd()
    // They lapse one after the other, about half of them before the race.
    await Promise.all(keys.map(async (key, index) => store.claim(key, 'a', 2 * SHORT_LEASE_MS + index)))
    await wait(3 * SHORT_LEASE_MS)(subject)
    await Promise.all(
      keys.map(async (key, index) => {
        const [isRenewed, answers] = await raced(subject, key, index)
        expect(answers.length + Number(isRenewed) <= 1, true)
        const [winner = isRenewed ? 'a' : undefined] = answers
        if (winner === undefined) return // the claims came before the end of the lease, the renewal after it
        expect(await store.commit(key, winner, RETENTION_MS), 'committed')
        expect(await store.commit(key, winner === 'a' ? 'b' : 'a', RETENTION_MS), 'already')
        await expectDone(other, key)
      }),
    )
  },

  'a renewal and two claims at once, after the lease has lapsed, leave one of the claims': async (
    subject,
  ) => {
    const keys = crowd()
    await Promise.all(keys.map(async (key) => subject.store.claim(key, 'a', SHORT_LEASE_MS)))
    await wait(SHORT_LEASE_MS + 1)(subject)
    await Promise.all(
      keys.map(async (key, index) => {
        const [isRenewed, answers] = await raced(subject, key, index)
        expect(isRenewed, false)
        expect(answers.length, 1)
      }),
    )
  },

  'a renewal and a commit at once leave the event done': async (subject) => {
    const { store, other } = subject
    const keys = crowd()
    await Promise.all(keys.map(async (key) => store.claim(key, 'a', LEASE_MS)))
    const commits = await Promise.all(
      keys.map((key, index) => beside(subject, key, index, () => store.commit(key, 'a', RETENTION_MS))),
    )
    expect(count(commits, 'committed'), keys.length)
    for (const key of keys) {
      expect(await renewed(store, key, 'a', LEASE_MS), false)
      await expectDone(other, key)
    }
  },

  'a renewal and a release at once leave the event free': async (subject) => {
    const { store } = subject
    const keys = crowd()
    await Promise.all(keys.map(async (key) => store.claim(key, 'a', LEASE_MS)))
    const released = await Promise.all(
      keys.map((key, index) => beside(subject, key, index, () => store.release(key, 'a'))),
    )
    expect(released.every(Boolean), true)
    const claims = await Promise.all(keys.map(async (key) => store.claim(key, 'b', LEASE_MS)))
    expect(count(claims, 'acquired'), keys.length)
  },
}

/** Renews for `a`, and claims for `b` and `c`. Every other time, the claims go first. Returns who acquired the event. */
async function raced(
  { store }: Subject,
  key: EventKey,
  index: number,
): Promise<readonly [boolean, string[]]> {
  const claims = () =>
    Promise.all(
      ['b', 'c'].map(async (owner) =>
        (await store.claim(key, owner, LEASE_MS)) === 'acquired' ? owner : '',
      ),
    )
  const renewal = async () => (await renewed(store, key, 'a', LEASE_MS)) ?? false
  const first = index % 2 === 0 ? renewal() : undefined
  const [owners, isRenewed] = await Promise.all([claims(), first ?? renewal()])
  return [isRenewed, owners.filter(Boolean)]
}

/** Does this while `a` renews. Every other time, the renewal goes first. */
async function beside<Answer>(
  { store }: Subject,
  key: EventKey,
  index: number,
  act: () => Answer | PromiseLike<Answer>,
): Promise<Answer> {
  const renewal = () => renewed(store, key, 'a', LEASE_MS)
  const first = index % 2 === 0 ? renewal() : undefined
  const [answer] = await Promise.all([act(), first ?? renewal()])
  return answer
}
