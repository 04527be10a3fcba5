import type { ClaimAnswer, EventKey } from '../event-store.ts'
import {
  CROWD,
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
  SHORT_LEASE_MS,
  type Step,
  type Subject,
  wait,
} from './event-store-steps.ts'

const RACERS = 50

/** Each requirement, and what shows whether a store meets it. */
export const EVENT_STORE_CASES: { readonly [name: string]: Step } = {
  'a new event is acquired': claim('a', 'acquired'),

  'a claim repeated by its owner is acquired again, so that a lost reply can be asked for': inTurn(
    claim('a', 'acquired'),
    claim('a', 'acquired'),
    claim('b', 'busy'),
  ),

  'a committed event is done for everyone, its owner included': inTurn(
    claim('a', 'acquired'),
    commit('a', 'committed'),
    claim('b', 'done'),
    claim('a', 'done'),
  ),

  'a commit that is repeated answers already': inTurn(
    claim('a', 'acquired'),
    commit('a', 'committed'),
    commit('a', 'already'),
  ),

  'a released event can be claimed again': inTurn(
    claim('a', 'acquired'),
    release('a', true),
    claim('b', 'acquired'),
  ),

  'only its owner can release a lease': inTurn(
    claim('a', 'acquired'),
    release('b', false),
    claim('c', 'busy'),
  ),

  'a committed event cannot be released': inTurn(
    claim('a', 'acquired'),
    commit('a', 'committed'),
    release('a', false),
    claim('b', 'done'),
  ),

  'an event that nobody claimed cannot be released': release('a', false),

  'a commit of an event that is not recorded is kept: the work was done': inTurn(
    commit('a', 'committed'),
    claim('b', 'done'),
    claim('a', 'done'),
    release('a', false),
    commit('a', 'already'),
  ),

  'a released event can be claimed again by the same owner, and committed': inTurn(
    claim('a', 'acquired'),
    release('a', true),
    release('a', false),
    claim('a', 'acquired'),
    claim('b', 'busy'),
    commit('a', 'committed'),
    claim('b', 'done'),
  ),

  'nobody can commit what another owner has leased': inTurn(
    claim('a', 'acquired'),
    commit('b', 'lost'),
    claim('c', 'busy'),
    commit('a', 'committed'),
  ),

  'two events do not disturb each other, on one listener and under one owner': async (subject) => {
    const other = { eventId: crypto.randomUUID() }
    await claim('a', 'acquired')(subject)
    await claim('a', 'acquired')(subject, other)
    await commit('a', 'committed')(subject)
    await inTurn(claim('b', 'busy'), release('a', true))(subject, other)
    await claim('b', 'done')(subject)
    await claim('b', 'acquired')(subject, other)
  },

  'a lease that lapses lets the next claim in': inTurn(lapsedLease('crashed'), claim('b', 'acquired')),

  'an owner whose lease was taken over can neither commit nor release': inTurn(
    lapsedLease('slow'),
    claim('b', 'acquired'),
    commit('slow', 'lost'),
    release('slow', false),
    claim('c', 'busy'),
    commit('b', 'committed'),
  ),

  'an owner whose lease was taken over is told when the work is done': inTurn(
    lapsedLease('slow'),
    claim('b', 'acquired'),
    commit('b', 'committed'),
    claim('slow', 'done'),
    commit('slow', 'already'),
    release('slow', false),
  ),

  'a commit after the lease lapsed still counts, if nobody took over': inTurn(
    lapsedLease('slow'),
    commit('slow', 'committed'),
    claim('b', 'done'),
  ),

  'a release after the lease lapsed finds nothing, also if nobody took over': inTurn(
    lapsedLease('slow'),
    release('slow', false),
    claim('b', 'acquired'),
  ),

  'an event is forgotten when its retention is over, and not before': inTurn(
    claim('a', 'acquired'),
    commit('a', 'committed', 10 * SHORT_LEASE_MS),
    wait(SHORT_LEASE_MS),
    claim('b', 'done'),
    wait(10 * SHORT_LEASE_MS),
    claim('c', 'acquired'),
  ),

  'after the retention the owner of that time is an owner like any other': inTurn(
    claim('a', 'acquired'),
    commit('a', 'committed', SHORT_LEASE_MS),
    wait(SHORT_LEASE_MS + 1),
    release('a', false),
    claim('a', 'acquired'),
    claim('b', 'busy'),
    commit('a', 'committed'),
  ),

  'a lease and a retention may be months, and need not be whole milliseconds': inTurn(
    claim('a', 'acquired', LONG_MS + 0.3),
    claim('b', 'busy', 1100.0000000000002),
    commit('a', 'committed', LONG_MS + 0.3),
    claim('b', 'done'),
  ),

  'the same event ID on another listener is another event': async (subject) => {
    const elsewhere = { listenerId: `${subject.key.listenerId}-2` }
    await inTurn(claim('a', 'acquired'), commit('a', 'committed'))(subject)
    await inTurn(claim('a', 'acquired'), release('a', true))(subject, elsewhere)
    await claim('b', 'done')(subject)
  },

  'event IDs that differ in one digit are two events, wherever it stands': async (subject) => {
    const { eventId } = subject.key
    await claim('the event itself', 'acquired')(subject)
    for (const [place, digit] of [...eventId].entries()) {
      if (digit === '-') continue
      const other = (Number.parseInt(digit, 16) ^ 1).toString(16)
      const changed = eventId.slice(0, place) + other + eventId.slice(place + 1)
      await claim(changed, 'acquired')(subject, { eventId: changed })
    }
  },

  'UUIDs of version 8, which stand for the IDs of other senders, are events like any other': async (
    subject,
  ) => {
    const { key } = subject
    const versions = [key.eventId, `${key.eventId.slice(0, 14)}8${key.eventId.slice(15)}`]
    const extremes = [
      '00000000-0000-8000-8000-000000000000',
      '7fffffff-ffff-8fff-bfff-ffffffffffff',
      '80000000-0000-8000-8000-000000000000',
      'ffffffff-ffff-8fff-bfff-ffffffffffff',
    ]
    const listenerId = `${key.listenerId} ${key.eventId}` // no other run has claimed the extremes there
    const keys = [...versions, ...extremes].map((eventId) => ({ listenerId, eventId }))
    for (const each of keys) await claim('a', 'acquired')(subject, each)
    for (const each of keys) {
      await inTurn(claim('b', 'busy'), commit('a', 'committed'), claim('b', 'done'))(subject, each)
    }
  },

  'listener ids that differ only in letter case stay apart': allApart(
    ...['orders', 'Orders', 'ORDERS', 'ä', 'Ä', 'ß', 'SS', 'ı', 'i', 'I', 'İ'],
  ),

  'listener ids that are easily confused stay apart': allApart(
    'a',
    ' a',
    'a ',
    'ä',
    'a\u0308',
    '%61',
    '{a}',
    "a'",
    'a"',
    'a\\',
    '$1',
    '?',
    '1',
    '01',
    '1.0',
  ),

  'listener ids that imitate a separator, a length in front or an event ID stay apart': async (subject) => {
    const { eventId } = subject.key
    const imitations = ['a', 'a:', ':a', 'a:b', '1:a', '2:1:', 'a|', 'a/', 'a,', 'a\n']
    await allApart(...imitations, `a:${eventId}`, `1:a:${eventId}`, eventId)(subject)
    const other = crypto.randomUUID()
    await claim('a', 'acquired')(subject, { listenerId: eventId, eventId: other })
    await claim('b', 'acquired')(subject, { listenerId: other })
  },

  'listener ids with emoji, NUL and invisible characters stay apart': allApart(
    '😀',
    '😁',
    '😀\u200d',
    '👩‍👧',
    '👩👧',
    'x',
    'x\u0000',
    '\u0000x',
    'x\u0000y',
    '\u0000',
    '\ufeffx',
  ),

  'listener ids of 1,000 characters that differ in the last one stay apart': allApart(
    ...['1', '2', '😀'].flatMap((end) => ['x'.repeat(999) + end, 'é'.repeat(999) + end]),
  ),

  [`of ${RACERS} claims at once exactly one is acquired and the others are busy`]: oneWins,

  [`of ${RACERS} claims at once on a lapsed lease exactly one is acquired`]: inTurn(
    lapsedLease('crashed'),
    oneWins,
  ),

  [`of ${RACERS} claims at once on a committed event none is acquired`]: async (subject) => {
    await commit('a', 'committed')(subject)
    expect(count(await claimsAtOnce(subject), 'done'), RACERS)
  },

  [`of ${RACERS} commits at once after a lapsed lease one is committed and the others come too late`]: async (
    subject,
  ) => {
    const { store, key } = subject
    await lapsedLease('crashed')(subject)
    const answers = await Promise.all(owners().map(async (owner) => store.commit(key, owner, RETENTION_MS)))
    expect(count(answers, 'committed'), 1)
    expect(count(answers, 'already'), RACERS - 1)
    await expectDone(subject.other, key)
  },

  'a late commit and many claims at once agree on who has the event': async (subject) => {
    const { store, other, key } = subject
    await lapsedLease('crashed')(subject)
    const commitLate = async () => store.commit(key, 'crashed', RETENTION_MS)
    const [committed, answers] = await Promise.all([commitLate(), claimsAtOnce(subject)])
    expect(count(answers, 'acquired'), committed === 'committed' ? 0 : 1)
    expect(committed === 'committed' || committed === 'lost', true)
    if (committed === 'committed') await expectDone(other, key)
    else await winnerCommits(subject, answers)
  },

  'a release and many claims at once let one claim in at most': async (subject) => {
    await claim('a', 'acquired')(subject)
    const [answers] = await Promise.all([claimsAtOnce(subject), release('a', true)(subject)])
    expect(count(answers, 'acquired') <= 1, true)
    expect(count(answers, 'done'), 0)
    if (answers.includes('acquired')) await winnerCommits(subject, answers)
  },

  [`claims of ${CROWD} events at once are all acquired`]: async ({ store }) => {
    const keys = crowd()
    const answers = await Promise.all(keys.map(async (key) => store.claim(key, 'a', LEASE_MS)))
    expect(count(answers, 'acquired'), CROWD)
    await Promise.all(keys.map(async (key) => store.release(key, 'a')))
  },

  [`of ${CROWD} events that are claimed and committed at once all are done`]: async ({ store, other }) => {
    const keys = crowd()
    const handled = async (key: EventKey) => {
      expect(await store.claim(key, 'a', LEASE_MS), 'acquired')
      return store.commit(key, 'a', RETENTION_MS)
    }
    expect(count(await Promise.all(keys.map(handled)), 'committed'), CROWD)
    for (const key of keys) await expectDone(other, key)
  },
}

const owners = () => Array.from({ length: RACERS }, (_, index) => `racer-${index}`)

function claimsAtOnce({ store, key }: Subject): Promise<ClaimAnswer[]> {
  return Promise.all(owners().map(async (owner) => store.claim(key, owner, LEASE_MS)))
}

async function oneWins(subject: Subject): Promise<void> {
  const answers = await claimsAtOnce(subject)
  expect(count(answers, 'acquired'), 1)
  expect(count(answers, 'busy'), RACERS - 1)
  await winnerCommits(subject, answers)
}

/** Nobody else has the event: the winner can commit it, and its commit is kept. */
async function winnerCommits(subject: Subject, answers: readonly ClaimAnswer[]): Promise<void> {
  await commit(owners()[answers.indexOf('acquired')] ?? '', 'committed')(subject)
}

/** Claims the event for each listener. If a store confused two of them, the second claim would fail. */
function allApart(...listenerIds: readonly string[]): Step {
  return async (subject) => {
    for (const listenerId of listenerIds) {
      await claim(listenerId.slice(-9), 'acquired')(subject, { listenerId })
    }
    const [first = '', ...others] = listenerIds
    await commit(first.slice(-9), 'committed')(subject, { listenerId: first })
    for (const listenerId of others) await claim('somebody else', 'busy')(subject, { listenerId })
  }
}
