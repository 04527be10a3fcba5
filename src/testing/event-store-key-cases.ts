import { type Cases, expect, LEASE_MS, type Subject } from './event-store-case.ts'

/** Which keys name the same event. Event IDs are in lower case; listener IDs are any text. */
export const KEY_CASES: Cases = {
  'the same event ID on another listener is another event': async ({ store, key }) => {
    await store.claim(key, 'a', LEASE_MS)
    await store.commit(key, 'a', LEASE_MS)
    const elsewhere = { ...key, listenerId: `${key.listenerId}-2` }
    expect(await store.claim(elsewhere, 'a', LEASE_MS), 'acquired')
    expect(await store.release(elsewhere, 'a'), true)
    expect(await store.claim(key, 'b', LEASE_MS), 'done')
  },

  'event IDs that differ in one digit are two events, wherever it stands': async ({ store, key }) => {
    const digits = [...key.eventId].flatMap((digit, place) => (digit === '-' ? [] : [place]))
    const eventIds = digits.map((place) => {
      const digit = (Number.parseInt(key.eventId.charAt(place), 16) ^ 1).toString(16)
      return key.eventId.slice(0, place) + digit + key.eventId.slice(place + 1)
    })
    expect(await store.claim(key, 'the event itself', LEASE_MS), 'acquired')
    for (const eventId of eventIds) {
      expect(await store.claim({ ...key, eventId }, eventId, LEASE_MS), 'acquired')
    }
  },

  'UUIDs of version 8, which stand for the IDs of other senders, are events like any other': async ({
    store,
    key,
  }) => {
    const versions = [key.eventId, `${key.eventId.slice(0, 14)}8${key.eventId.slice(15)}`]
    const extremes = [
      '00000000-0000-8000-8000-000000000000',
      '7fffffff-ffff-8fff-bfff-ffffffffffff',
      '80000000-0000-8000-8000-000000000000',
      'ffffffff-ffff-8fff-bfff-ffffffffffff',
    ]
    const listenerId = `${key.listenerId} ${key.eventId}` // no other run has claimed the extremes there
    const keys = [...versions, ...extremes].map((eventId) => ({ listenerId, eventId }))
    for (const each of keys) expect(await store.claim(each, 'a', LEASE_MS), 'acquired')
    for (const each of keys) {
      expect(await store.claim(each, 'b', LEASE_MS), 'busy')
      expect(await store.commit(each, 'a', LEASE_MS), 'committed')
      expect(await store.claim(each, 'b', LEASE_MS), 'done')
    }
  },

  'listener ids that differ only in letter case stay apart': (subject) =>
    allApart(subject, ['orders', 'Orders', 'ORDERS', 'ä', 'Ä', 'ß', 'SS', 'ı', 'i', 'I', 'İ']),

  'listener ids that are easily confused stay apart': (subject) =>
    allApart(subject, [
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
    ]),

  'listener ids that imitate a separator, a length in front or an event ID stay apart': async (subject) => {
    const { store, key } = subject
    const imitations = ['a', 'a:', ':a', 'a:b', '1:a', '2:1:', 'a|', 'a/', 'a,', 'a\n']
    await allApart(subject, [...imitations, `a:${key.eventId}`, `1:a:${key.eventId}`, key.eventId])
    const swapped = { listenerId: key.eventId, eventId: crypto.randomUUID() }
    expect(await store.claim(swapped, 'a', LEASE_MS), 'acquired')
    expect(
      await store.claim({ listenerId: swapped.eventId, eventId: key.eventId }, 'b', LEASE_MS),
      'acquired',
    )
  },

  'listener ids with emoji, NUL and invisible characters stay apart': (subject) =>
    allApart(subject, [
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
    ]),

  'listener ids of 1,000 characters that differ in the last one stay apart': (subject) =>
    allApart(
      subject,
      ['1', '2', '😀'].flatMap((end) => ['x'.repeat(999) + end, 'é'.repeat(999) + end]),
    ),
}

/** Claims the event for each listener. If a store confused two of them, the second claim would fail. */
async function allApart({ store, key }: Subject, listenerIds: readonly string[]): Promise<void> {
  for (const listenerId of listenerIds) {
    expect(await store.claim({ ...key, listenerId }, listenerId.slice(-9), LEASE_MS), 'acquired')
  }
  const [first = '', ...others] = listenerIds
  expect(await store.commit({ ...key, listenerId: first }, first.slice(-9), LEASE_MS), 'committed')
  for (const listenerId of others) {
    expect(await store.claim({ ...key, listenerId }, 'somebody else', LEASE_MS), 'busy')
  }
}
