import { describe, expect, it } from 'vitest'
import { type EventKey, type EventStore, eventKeyText } from '../../src/index.ts'
import { renewed } from '../../src/testing/event-store-steps.ts'
import { eventStoreSuite } from '../../src/testing/index.ts'
import { fakeClock } from '../support/clock.ts'
import fc from '../support/property.ts'

interface Row {
  readonly owner: string
  readonly done: boolean
  readonly until: number
}

/** The simplest correct store: a map. Each broken store changes it by one fault. */
function plainStore(clock: { now(): number }, rows = new Map<string, Row>(), nameOf = eventKeyText) {
  const read = (key: EventKey) => {
    const row = rows.get(nameOf(key))
    return row !== undefined && row.until > clock.now() ? row : undefined
  }
  const write = (key: EventKey, owner: string, done: boolean, milliseconds: number) => {
    rows.set(nameOf(key), { owner, done, until: clock.now() + milliseconds })
  }
  const store = {
    async claim(key, owner, leaseMs) {
      const row = read(key)
      if (row?.done) return 'done'
      if (row !== undefined) return row.owner === owner ? 'acquired' : 'busy'
      write(key, owner, false, leaseMs)
      return 'acquired'
    },
    async commit(key, owner, retentionMs) {
      const row = read(key)
      if (row?.done) return 'already'
      if (row !== undefined && row.owner !== owner) return 'lost'
      write(key, owner, true, retentionMs)
      return 'committed'
    },
    async release(key, owner) {
      const row = read(key)
      return row !== undefined && !row.done && row.owner === owner && rows.delete(nameOf(key))
    },
    async renew(key, owner, leaseMs) {
      const row = read(key)
      const isHeld = row !== undefined && !row.done && row.owner === owner
      if (isHeld) write(key, owner, false, leaseMs)
      return isHeld
    },
  } satisfies EventStore
  return { store, rows, read, write }
}

type Plain = ReturnType<typeof plainStore>
type Clock = ReturnType<typeof fakeClock>

/** The cases that fail for a store. */
async function failures(create: (clock: Clock) => EventStore, other?: EventStore): Promise<string[]> {
  const cases: [string, () => Promise<void>][] = []
  eventStoreSuite(
    (name, run) => cases.push([name, run]),
    () => {
      const clock = fakeClock()
      return { store: create(clock), other, advance: clock.advance }
    },
  )
  const failed: string[] = []
  for (const [name, run] of cases) await run().catch(() => failed.push(name))
  return failed
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** The fault of each broken store, and part of the name of a case that must catch it. */
const BROKEN: {
  readonly [fault: string]: readonly [(plain: Plain, clock: Clock) => Partial<EventStore>, RegExp]
} = {
  'looks first and writes later': [
    ({ store, read, write }) => ({
      async claim(key, owner, leaseMs) {
        const row = read(key)
        await turn()
        if (row !== undefined) return store.claim(key, owner, leaseMs)
        write(key, owner, false, leaseMs)
        return 'acquired'
      },
    }),
    /claims at once/,
  ],
  'takes no notice of whether its insert did anything': [
    () => ({ claim: async () => 'acquired' as const }),
    /exactly one/,
  ],
  'reads what was true a moment ago': [
    ({ store, write }, clock) => {
      const seen = new Map<string, number>()
      return {
        async claim(key, owner, leaseMs) {
          const name = eventKeyText(key)
          const stale = (seen.get(name) ?? clock.now()) >= clock.now()
          seen.set(name, clock.now())
          if (!stale) return store.claim(key, owner, leaseMs)
          write(key, owner, false, leaseMs)
          return 'acquired'
        },
      }
    },
    /exactly one/,
  ],
  'does not know its own owner again': [
    ({ store, read }) => ({
      claim: async (key, owner, leaseMs) =>
        read(key) && !read(key)?.done ? 'busy' : store.claim(key, owner, leaseMs),
    }),
    /repeated by its owner/,
  ],
  'lets a former owner commit': [
    ({ write }) => ({
      async commit(key, owner, retentionMs) {
        write(key, owner, true, retentionMs)
        return 'committed' as const
      },
    }),
    /taken over/,
  ],
  'lets anyone release': [
    ({ rows }) => ({ release: async (key) => rows.delete(eventKeyText(key)) }),
    /only its owner/,
  ],
  'never lets a lease lapse': [
    ({ store }) => ({ claim: (key, owner) => store.claim(key, owner, Number.MAX_SAFE_INTEGER) }),
    /lapses/,
  ],
  'lets all in where a lease has lapsed': [
    ({ store, rows, write }) => ({
      async claim(key, owner, leaseMs) {
        const old = rows.get(eventKeyText(key))
        if (old?.owner !== 'crashed' && old?.owner.startsWith('racer') !== true) {
          return store.claim(key, owner, leaseMs)
        }
        await turn()
        write(key, owner, false, leaseMs)
        return 'acquired'
      },
    }),
    /on a lapsed lease/,
  ],
  'never forgets': [
    ({ store }) => ({ commit: (key, owner) => store.commit(key, owner, Number.MAX_SAFE_INTEGER) }),
    /retention is over/,
  ],
  'forgets what was committed when the lease would have lapsed': [
    ({ store }) => ({ commit: (key, owner) => store.commit(key, owner, 50) }),
    /not before/,
  ],
  'refuses a commit after the lease has lapsed': [
    ({ store, read }) => ({
      commit: async (key, owner, retentionMs) => (read(key) ? store.commit(key, owner, retentionMs) : 'lost'),
    }),
    /still counts/,
  ],
  'says committed twice': [
    ({ store }) => ({
      async commit(key, owner, retentionMs) {
        await store.commit(key, owner, retentionMs)
        return 'committed' as const
      },
    }),
    /answers already/,
  ],
  'releases what is done': [
    ({ rows, read }) => ({
      release: async (key, owner) => read(key)?.owner === owner && rows.delete(eventKeyText(key)),
    }),
    /committed event cannot be released/,
  ],
  'says committed and writes nothing, when it is busy with another commit': [
    ({ store }) => {
      let committing = 0
      return {
        async commit(key, owner, retentionMs) {
          committing += 1
          await turn()
          const answer = committing > 1 ? 'committed' : store.commit(key, owner, retentionMs)
          committing -= 1
          return answer
        },
      }
    },
    /committed at once all are done/,
  ],
  'says committed and writes nothing, after a race for the event': [
    ({ store }) => {
      let claiming = 0
      const raced = new Set<string>()
      return {
        async claim(key, owner, leaseMs) {
          claiming += 1
          await turn()
          if (claiming > 1) raced.add(eventKeyText(key))
          claiming -= 1
          return store.claim(key, owner, leaseMs)
        },
        commit: async (key, owner, retentionMs) =>
          raced.has(eventKeyText(key)) ? 'committed' : store.commit(key, owner, retentionMs),
      }
    },
    /exactly one is acquired/,
  ],
  'says committed, and writes a moment later': [
    ({ store }) => ({
      async commit(key, owner, retentionMs) {
        void turn().then(() => store.commit(key, owner, retentionMs))
        return 'committed' as const
      },
    }),
    /done for everyone/,
  ],
  'says a release worked that did nothing': [() => ({ release: async () => true }), /nobody claimed/],
  'releases what has lapsed': [
    ({ rows }) => ({
      async release(key, owner) {
        const row = rows.get(eventKeyText(key))
        return row !== undefined && !row.done && row.owner === owner && rows.delete(eventKeyText(key))
      },
    }),
    /finds nothing/,
  ],
  'looks first and commits later': [
    ({ store, read, write }) => ({
      async commit(key, owner, retentionMs) {
        const row = read(key)
        await turn()
        if (row !== undefined) return store.commit(key, owner, retentionMs)
        write(key, owner, true, retentionMs)
        return 'committed'
      },
    }),
    /commits at once/,
  ],
  'commits late without a look at who came in': [
    ({ store, rows, write }) => ({
      async commit(key, owner, retentionMs) {
        const mine = rows.get(eventKeyText(key))?.owner === owner
        await turn()
        if (!mine) return store.commit(key, owner, retentionMs)
        write(key, owner, true, retentionMs)
        return 'committed'
      },
    }),
    /agree on who has the event/,
  ],
  'lets several in while a lease is released': [
    ({ store, rows, write }) => {
      let open = false
      return {
        async claim(key, owner, leaseMs) {
          await turn() // so that the release overtakes it
          if (!open) return store.claim(key, owner, leaseMs)
          write(key, owner, false, leaseMs)
          return 'acquired'
        },
        async release(key) {
          open = true
          return rows.delete(eventKeyText(key))
        },
      }
    },
    /release and many claims/,
  ],
  'lets anyone commit while a lease runs': [
    ({ store, rows }) => ({
      async commit(key, owner, retentionMs) {
        if (!rows.get(eventKeyText(key))?.done) rows.delete(eventKeyText(key))
        return store.commit(key, owner, retentionMs)
      },
    }),
    /nobody can commit/,
  ],
  'bars an owner who has released': [
    ({ store }) => {
      const barred = new Set<string>()
      return {
        claim: async (key, owner, leaseMs) => (barred.has(owner) ? 'busy' : store.claim(key, owner, leaseMs)),
        async release(key, owner) {
          const released = await store.release(key, owner)
          if (released) barred.add(owner)
          return released
        },
      }
    },
    /by the same owner, and committed/,
  ],
  'lets an owner have one event at a time': [
    ({ store }) => {
      const holding = new Set<string>()
      return {
        claim: async (key, owner, leaseMs) => {
          if (holding.has(owner)) return 'busy'
          holding.add(owner)
          return store.claim(key, owner, leaseMs)
        },
      }
    },
    /two events do not disturb|events at once/,
  ],
  'remembers an owner beyond the retention': [
    ({ store, rows }) => ({
      claim: async (key, owner, leaseMs) => {
        const row = rows.get(eventKeyText(key))
        return row?.done && row.owner === owner ? 'done' : store.claim(key, owner, leaseMs)
      },
    }),
    /an owner like any other/,
  ],
  'counts milliseconds in 32 bits': [
    ({ store }) => ({ claim: (key, owner, leaseMs) => store.claim(key, owner, leaseMs | 0) }),
    /may be months/,
  ],
  'wants whole milliseconds': [
    ({ store }) => ({
      async commit(key, owner, retentionMs) {
        if (!Number.isInteger(retentionMs)) throw new Error('value is not an integer or out of range')
        return store.commit(key, owner, retentionMs)
      },
    }),
    /need not be whole/,
  ],
  'remembers who was refused': [
    ({ store, write }) => ({
      async claim(key, owner, leaseMs) {
        const answer = await store.claim(key, owner, leaseMs)
        if (answer === 'busy') write(key, owner, false, leaseMs)
        return answer
      },
    }),
    /nobody can commit/,
  ],
}

/** The same for `renew`. */
const BROKEN_RENEWALS: typeof BROKEN = {
  'renews by a claim': [
    ({ store }) => ({
      renew: async (key, owner, leaseMs) => (await store.claim(key, owner, leaseMs)) === 'acquired',
    }),
    /nobody claimed cannot be renewed/,
  ],
  'says a renewal worked that did nothing': [() => ({ renew: async () => true }), /outlasts its first end/],
  'says a renewal failed that worked': [
    ({ store }) => ({
      async renew(...given) {
        await store.renew(...given)
        return false
      },
    }),
    /outlasts its first end/,
  ],
  'never renews': [() => ({ renew: async () => false }), /outlasts its first end/],
  'adds to the lease in place of beginning it anew': [
    ({ store, rows }, clock) => ({
      async renew(key, owner, leaseMs) {
        const left = (rows.get(eventKeyText(key))?.until ?? 0) - clock.now()
        return store.renew(key, owner, left + leaseMs)
      },
    }),
    /may also end earlier/,
  ],
  'renews for anyone': [
    ({ store, read }) => ({
      renew: async (key, _, leaseMs) => store.renew(key, read(key)?.owner ?? '', leaseMs),
    }),
    /only its owner/,
  ],
  'lengthens a lease for anyone, and says it did not': [
    ({ store, read }) => ({
      async renew(key, owner, leaseMs) {
        await store.renew(key, read(key)?.owner ?? '', leaseMs)
        return store.renew(key, owner, leaseMs)
      },
    }),
    /by somebody else/,
  ],
  'renews what has lapsed': [
    ({ store, rows, write }) => ({
      async renew(key, owner, leaseMs) {
        const row = rows.get(eventKeyText(key))
        if (row?.owner === owner && !row.done) write(key, owner, false, leaseMs)
        return store.renew(key, owner, leaseMs)
      },
    }),
    /lapsed cannot be renewed/,
  ],
  'takes a renewed lease back from its new owner': [
    ({ rows, write }) => ({
      async renew(key, owner, leaseMs) {
        const isThere = rows.has(eventKeyText(key))
        if (isThere) write(key, owner, false, leaseMs)
        return isThere
      },
    }),
    /taken over cannot renew/,
  ],
  'claims again what was released': [
    ({ store, rows, write }) => {
      const owners = new Set<string>()
      return {
        claim(key, owner, leaseMs) {
          owners.add(`${owner} ${eventKeyText(key)}`)
          return store.claim(key, owner, leaseMs)
        },
        async renew(key, owner, leaseMs) {
          const isFree = !rows.has(eventKeyText(key)) && owners.has(`${owner} ${eventKeyText(key)}`)
          if (isFree) write(key, owner, false, leaseMs)
          return store.renew(key, owner, leaseMs)
        },
      }
    },
    /has released cannot renew/,
  ],
  'makes a lease of what is done': [
    ({ read, write }) => ({
      async renew(key, owner, leaseMs) {
        const isMine = read(key)?.owner === owner
        if (isMine) write(key, owner, false, leaseMs)
        return isMine
      },
    }),
    /committed event cannot be renewed/,
  ],
  'remembers for longer what is done': [
    ({ store, read, write }) => ({
      async renew(key, owner, leaseMs) {
        if (read(key)?.done) write(key, owner, true, leaseMs)
        return store.renew(key, owner, leaseMs)
      },
    }),
    /not remembered for longer/,
  ],
  'counts the milliseconds of a renewal in 32 bits': [
    ({ store }) => ({ renew: (key, owner, leaseMs) => store.renew(key, owner, leaseMs | 0) }),
    /may last months/,
  ],
  'renews every event of an owner': [
    ({ store, rows, write }) => ({
      async renew(key, owner, leaseMs) {
        const isRenewed = await store.renew(key, owner, leaseMs)
        if (!isRenewed) return false
        for (const [name, row] of rows) {
          if (row.owner === owner && name.endsWith(key.eventId)) {
            rows.set(name, { ...row, until: rows.get(eventKeyText(key))?.until ?? 0 })
          }
        }
        write(key, owner, false, leaseMs)
        return true
      },
    }),
    /leaves its lease on another alone/,
  ],
  'cuts the listener id that it renews': [
    ({ store, rows, write }) => ({
      async renew(key, owner, leaseMs) {
        const isRenewed = await store.renew(key, owner, leaseMs)
        const short = { ...key, listenerId: key.listenerId.slice(0, -1) }
        if (isRenewed && rows.has(eventKeyText(short))) write(short, owner, false, leaseMs)
        return isRenewed
      },
    }),
    /listener ids apart/,
  ],
  'looks first and renews later': [
    ({ rows, write, read }) => ({
      async renew(key, owner, leaseMs) {
        const row = rows.get(eventKeyText(key))
        const isHeld = row?.owner === owner && !row.done && read(key) !== undefined
        await turn()
        if (isHeld) write(key, owner, false, leaseMs)
        return isHeld
      },
    }),
    /renewal and a commit at once/,
  ],
  'renews what was released meanwhile': [
    ({ store, read, write }) => ({
      async renew(key, owner, leaseMs) {
        const isHeld = read(key)?.owner === owner
        await turn()
        if (isHeld && !read(key)) write(key, owner, false, leaseMs)
        return store.renew(key, owner, leaseMs)
      },
    }),
    /renewal and a release at once/,
  ],
  'renews a lapsed lease before it lets a claim in': [
    ({ store, rows, write }) => ({
      async renew(key, owner, leaseMs) {
        const row = rows.get(eventKeyText(key))
        if (row?.owner === owner && !row.done) write(key, owner, false, leaseMs)
        return store.renew(key, owner, leaseMs)
      },
    }),
    /leave one of the claims/,
  ],
  'looks at the lease first, and renews over a claim': [
    ({ rows, write }, clock) => ({
      async renew(key, owner, leaseMs) {
        const row = rows.get(eventKeyText(key))
        if (row?.owner !== owner || row.done || row.until < clock.now()) return false
        await turn() // long enough for the lease to lapse
        write(key, owner, false, leaseMs)
        return true
      },
      claim(key, owner, leaseMs) {
        const row = rows.get(eventKeyText(key))
        if (row && owner !== row.owner && row.until < clock.now() + 50) rows.delete(eventKeyText(key))
        return plainStore(clock, rows).store.claim(key, owner, leaseMs)
      },
    }),
    /never leave two owners/,
  ],
}

/** Careless key functions, which collide. */
const sorted = ({ listenerId, eventId }: EventKey) => [listenerId, eventId].toSorted().join()
const lengthOnly = ({ listenerId, eventId }: EventKey) => `${listenerId.replace(/^(\d+:)+/, '')}:${eventId}`
const ascii = (text: string) => text.replace(/[^\0-~]/g, '?')
const visible = (text: string) => text.replace(/[\p{C}\p{M}]/gu, '')

describe('eventStoreSuite', () => {
  it('the suite has more than 20 cases, each with its own name', () => {
    const names: string[] = []
    eventStoreSuite(
      (name) => names.push(name),
      () => plainStore(fakeClock()).store,
    )
    expect(names.length).toBeGreaterThan(20)
    expect(new Set(names).size).toBe(names.length)
  })

  it('the suite passes a correct store', async () => {
    expect(await failures((clock) => plainStore(clock).store)).toStrictEqual([])
  })

  it('the suite passes a correct store whose records are locked now and then', async () => {
    const locked = await failures((clock) => {
      const { store } = plainStore(clock)
      let asked = 0
      return {
        ...store,
        async renew(...given) {
          asked += 1
          return asked % 2 === 1 ? 'locked' : store.renew(...given)
        },
      }
    })
    expect(locked).toStrictEqual([])
  })

  it('a step of the suite gives a store up that answers locked, whatever is open', async () => {
    const { store } = plainStore(fakeClock())
    const answering = renewed(
      { ...store, renew: () => 'locked' },
      { listenerId: 'L1', eventId: 'e1' },
      'a',
      1,
    )
    await expect(answering).rejects.toThrow("answered 'locked'")
  })

  it('the suite passes a correct store that cannot renew', async () => {
    const without = await failures((clock) => {
      const { renew: _, ...store } = plainStore(clock).store
      return store
    })
    expect(without).toStrictEqual([])
  })

  it.each(Object.entries({ ...BROKEN, ...BROKEN_RENEWALS }))(
    'the suite fails a store that %s',
    async (_, [breakIt, caught]) => {
      const failed = await failures((clock) => {
        const plain = plainStore(clock)
        return { ...plain.store, ...breakIt(plain, clock) }
      })
      expect(failed.filter((name) => caught.test(name))).not.toStrictEqual([])
    },
  )

  it.each<[string, (key: EventKey) => string, RegExp]>([
    ['forgets the listener', ({ eventId }) => eventId, /another listener/],
    ['folds case', (key) => eventKeyText(key).toLowerCase(), /stay apart/],
    ['normalises', (key) => `${key.listenerId.normalize()}|${key.eventId}`, /stay apart/],
    ['cuts at NUL', (key) => `${key.listenerId.split('\0')[0]}|${key.eventId}`, /stay apart/],
    ['trims', (key) => `${key.listenerId.trim()}|${key.eventId}`, /stay apart/],
    ['does not say which part is which', sorted, /imitate/],
    ['strips what looks like a length', lengthOnly, /imitate/],
    ['cuts long names', (key) => `${key.listenerId.slice(0, 255)}|${key.eventId}`, /1,000 characters/],
    ['knows only ASCII', (key) => ascii(eventKeyText(key)), /emoji/],
    ['drops invisible characters', (key) => visible(eventKeyText(key)), /emoji/],
    ['ignores case as SQL does', (key) => eventKeyText(key).toUpperCase(), /letter case/],
    ['reads numbers', (key) => `${Number(key.listenerId) || key.listenerId}|${key.eventId}`, /confused/],
    ['looks at the first half of an event ID', (key) => eventKeyText(key).slice(0, -18), /one digit/],
    [
      'takes every UUID for one of version 4',
      (key) => eventKeyText({ ...key, eventId: key.eventId.replace(/^(.{14})8/, '$14') }),
      /version 8/,
    ],
    ['leaves the version digit out', ({ eventId }) => eventId.slice(0, 14) + eventId.slice(15), /one digit/],
  ])('the suite fails a store that %s in its keys', async (_, nameOf, caught) => {
    const failed = await failures((clock) => plainStore(clock, new Map(), nameOf).store)
    expect(failed.filter((name) => caught.test(name))).not.toStrictEqual([])
  })

  it('the suite fails a store whose commits only its own connection sees, if it is given another', async () => {
    const failing = async (isGiven: boolean) => {
      const { store: other } = plainStore(fakeClock())
      return failures((clock) => plainStore(clock).store, isGiven ? other : undefined)
    }
    expect(await failing(false)).toStrictEqual([])
    expect(await failing(true)).toContainEqual(expect.stringMatching(/commits at once/))
    expect(await failing(true)).toContainEqual(expect.stringMatching(/committed at once/))
  })

  it('the suite closes each store, even if the case has failed', async () => {
    let open = 0
    const runs: (() => Promise<void>)[] = []
    eventStoreSuite(
      (_, run) => runs.push(run),
      () => {
        open += 1
        const { store } = plainStore(fakeClock())
        const broken = { ...store, claim: async () => 'busy' as const }
        return { store: broken, advance: () => {}, close: () => (open -= 1) }
      },
    )
    const results = await Promise.allSettled(runs.map((run) => run()))
    expect(results.map(({ status }) => status)).toContain('rejected')
    expect(open).toBe(0)
  })
})

it('eventKeyText differs for any two keys, even if their parts contain separators', () => {
  const part = fc.string({ unit: fc.constantFrom('a', ':', '1', '2'), maxLength: 5 })
  const key = fc.record({ listenerId: part, eventId: part })
  fc.assert(
    fc.property(key, key, (one, other) => {
      const same = one.listenerId === other.listenerId && one.eventId === other.eventId
      expect(eventKeyText(one) === eventKeyText(other)).toBe(same)
    }),
    { numRuns: 20_000 },
  )
})
