import { describe, expect, it } from 'vitest'
import { EventTable, NONE } from '../../stores/memory/event-table.ts'
import { hashOf, listenerWords, WORDS, writeWords } from '../../stores/memory/event-words.ts'
import fc from '../support/property.ts'

/** The key of the event with this number. */
function keyOf(number: number, listenerId = 'L1') {
  return { listenerId, eventId: `7f1d3c5e-0a4b-4c8d-9e2f-${number.toString(16).padStart(12, '0')}` }
}

/** The table, and a model of it: the numbers in the order of their last change. */
function pair(maxRecords: number) {
  const table = new EventTable()
  let order: number[] = []
  const others = (number: number) => order.filter((known) => known !== number)
  return {
    table,
    order: () => order,
    toggle(number: number) {
      const found = table.find(keyOf(number))
      expect(found !== NONE).toBe(order.includes(number))
      if (found === NONE && order.length === maxRecords) return
      if (found === NONE) table.add(0, 500, 'owner')
      else table.remove(found)
      order = found === NONE ? [...order, number] : others(number)
    },
    touch(number: number) {
      const found = table.find(keyOf(number))
      if (found === NONE) return
      table.touch(found)
      order = [...others(number), number]
    },
  }
}

describe('EventTable', () => {
  it.each([1, 5, 40, 3000])(
    'finds every record that was added and not removed, after any operations (%i at most)',
    (most) => {
      const step = fc.tuple(fc.constantFrom('toggle', 'toggle', 'touch'), fc.nat(most * 2))
      fc.assert(
        fc.property(fc.array(step, { minLength: 10, maxLength: 300 }), (steps) => {
          const { table, order, ...verbs } = pair(most)
          for (const [verb, number] of steps) verbs[verb === 'touch' ? 'touch' : 'toggle'](number)
          expect(table.size).toBe(order().length)
          const seen: (number | undefined)[] = []
          while (table.oldest !== NONE) {
            const oldest = table.oldest
            seen.push(order().find((number) => table.find(keyOf(number)) === oldest))
            table.remove(oldest)
          }
          expect(seen).toStrictEqual(order())
        }),
        { numRuns: 60 },
      )
    },
  )

  it('keeps every record, its time and the order while it grows to its limit', () => {
    const most = 5000
    const table = new EventTable()
    for (let number = 0; number < most; number += 1) {
      expect(table.find(keyOf(number))).toBe(NONE)
      table.add(number * 1000, 500, 'owner')
    }
    for (let number = 0; number < most; number += 1) {
      const record = table.find(keyOf(number))
      expect(table.isAlive(record, number * 1000 + 500)).toBe(true)
      expect(table.isAlive(record, number * 1000 + 501)).toBe(false)
      expect(table.age(record, 6_000_000)).toBe(6000 - number)
      expect(table.oldest).toBe(record)
      table.touch(record)
    }
    expect(table.size).toBe(most)
  })

  it.each([
    [6000, 40_000],
    [40_000, 120_000],
  ])('finds exactly the present records at any moment of its growth to %i', (most, steps) => {
    const table = new EventTable()
    const there = new Set<number>()
    let state = 1
    const below = (end: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((state / 2 ** 32) * end)
    }
    const wrong: number[] = []
    for (let step = 0; step < steps; step += 1) {
      const number = below(most * 2)
      const record = table.find(keyOf(number))
      if ((record !== NONE) !== there.has(number)) wrong.push(number)
      // Two additions per removal, so that the table grows while it reuses removed records.
      if (record === NONE && there.size < most) {
        table.add(0, 500, 'owner')
        there.add(number)
      } else if (record !== NONE && below(2) === 0) {
        table.remove(record)
        there.delete(number)
      }
      if ((table.find(keyOf(number)) !== NONE) !== there.has(number)) wrong.push(number)
    }
    for (let number = 0; number < most * 2; number += 1) {
      if ((table.find(keyOf(number)) !== NONE) !== there.has(number)) wrong.push(number)
    }
    expect(wrong).toStrictEqual([])
    expect(table.size).toBe(there.size)
  })

  it('finds every record while it moves to a larger index', () => {
    const table = new EventTable()
    const lost: number[] = []
    for (let number = 0; number < 1200; number += 1) {
      table.find(keyOf(number))
      table.add(0, 500, 'owner')
      for (let known = 0; number > 500 && known <= number; known += 1) {
        if (table.find(keyOf(known)) === NONE) lost.push(known)
      }
    }
    expect(lost).toStrictEqual([])
  })

  it('tells keys apart that share a member, one right after the other', () => {
    const table = new EventTable()
    table.find({ listenerId: '', eventId: '' })
    const empty = table.add(0, 500, 'owner')
    table.find(keyOf(1, 'L1'))
    const first = table.add(0, 500, 'owner')
    expect(table.find(keyOf(1, 'L2'))).toBe(NONE)
    expect(table.find(keyOf(1, 'L1'))).toBe(first)
    expect(table.find(keyOf(2, 'L1'))).toBe(NONE)
    table.remove(first)
    expect(table.find(keyOf(1, 'L1'))).toBe(NONE)
    expect(table.find(keyOf(1, 'L1'))).toBe(NONE)
    expect(table.find({ listenerId: '', eventId: '' })).toBe(empty)
  })

  it('commits a record: removes its owner, restarts its time and makes it the newest', () => {
    const table = new EventTable()
    const [first, second] = [0, 1].map((number) => {
      table.find(keyOf(number))
      return table.add(0, 500, `owner ${number}`)
    })
    if (first === undefined || second === undefined) throw new Error('two records')
    expect([table.ownerOf(first), table.ownerOf(second)]).toStrictEqual(['owner 0', 'owner 1'])
    table.commit(first, 2000, 500)
    expect([table.ownerOf(first), table.ownerOf(second)]).toStrictEqual([undefined, 'owner 1'])
    expect([
      table.isAlive(first, 2500),
      table.isAlive(first, 2501),
      table.isAlive(second, 501),
    ]).toStrictEqual([true, false, false])
    expect(table.oldest).toBe(second)
    table.commit(second, 3000, 500)
    table.commit(second, 3000, 500)
    expect(table.oldest).toBe(first)
  })

  it('reuses removed records, so that churn takes no memory', () => {
    const table = new EventTable()
    const records = new Set<number>()
    for (let number = 0; number < 10_000; number += 1) {
      if (table.size === 10) table.remove(table.oldest)
      table.find(keyOf(number))
      records.add(table.add(0, 500, 'owner'))
    }
    expect(records.size).toBeLessThan(20)
  })
})

describe('the hash of a key', () => {
  const hashes = (keys: readonly string[]) =>
    keys.map((uuid, index) => {
      const words = new Uint32Array(WORDS)
      writeWords(words, uuid, listenerWords(`L${index % 3}`))
      return hashOf(words, 0)
    })

  it('reads every digit, of either case, and the listener', () => {
    const words = new Uint32Array(WORDS)
    writeWords(words, '01234567-89AB-4cde-8f01-23456789abcd', new Uint32Array(WORDS))
    expect([...words]).toStrictEqual([0x01234567, 0x89ab4cde, 0x8f012345, 0x6789abcd])
    writeWords(words, '00000000-0000-0000-0000-000000000000', Uint32Array.of(7, 8, 9, 10))
    expect([...words]).toStrictEqual([7, 8, 9, 10])
  })

  it('differs for similar listeners with any characters', () => {
    const units = fc.string({
      unit: fc.constantFrom('\0', 'a', 'b', 'ä', '\ud800', '\u{1f600}'),
      maxLength: 6,
    })
    fc.assert(
      fc.property(units, units, (one, other) => {
        expect(`${listenerWords(one)}` === `${listenerWords(other)}`).toBe(one === other)
      }),
      { numRuns: 2000 },
    )
  })

  it('depends on each character of a listener in each of its words', () => {
    const ids = Array.from({ length: 2000 }, (_, index) => `https://tenant-${index}.example/webhooks`)
    for (const word of [0, 1, 2, 3]) {
      expect(new Set(ids.map((id) => listenerWords(id)[word])).size).toBeGreaterThan(ids.length - 5)
    }
  })

  it.each([
    ['at the end', (digits: string) => `7f1d3c5e-0a4b-4c8d-9e2f-00000000${digits}`],
    ['at the start', (digits: string) => `${digits}3c5e-0a4b-4c8d-9e2f-000000000000`],
    ['in high bits alone', ([a, b, c]: string) => `${a}000${b}000-${c}000-4c8d-9e2f-000000000000`],
  ])('spreads keys that differ %s, so that no sender can choose many for one slot', (_, uuid) => {
    const keys = Array.from({ length: 4096 }, (_, index) => uuid((index * 16).toString(16).padStart(4, '0')))
    const places = new Set(hashes(keys).map((hash) => hash & 4095))
    expect(places.size).toBeGreaterThan(2300) // random hashes would give 2589
  })
})
