import { describe, expect, it } from 'vitest'
import { Recent } from '../../src/lib/recent.ts'

describe('what was noted in the last minute', () => {
  it('the same thing is noted once a minute, and another one at once', () => {
    const recent = new Recent()
    expect([recent.note('a', 0), recent.note('a', 59_999), recent.note('b', 59_999)]).toEqual([
      true,
      false,
      true,
    ])
    expect([recent.note('a', 60_000), recent.note('b', 60_000)]).toEqual([true, false])
  })

  it('no more than so many things are noted, until the first one is a minute old', () => {
    const recent = new Recent()
    expect([recent.note('a', 0, 2), recent.note('b', 1, 2), recent.note('c', 59_999, 2)]).toEqual([
      true,
      true,
      false,
    ])
    expect(recent.note('c', 60_000, 2)).toBe(true)
    expect(recent.hasRoom(60_000, 2)).toBe(false)
    expect(recent.hasRoom(60_001, 2)).toBe(true)
  })

  it('a clock that is set back delays nothing: each thing counts from when it was noted', () => {
    const recent = new Recent()
    expect([recent.note('a', 50_000), recent.note('b', 0)]).toEqual([true, true])
    expect(recent.note('b', 60_000)).toBe(true)
    expect(recent.note('a', -100_000)).toBe(true)
  })
})

describe('looks', () => {
  it('so many may look in a second', () => {
    const recent = new Recent()
    expect([recent.mayLook(0, 2), recent.mayLook(999, 2), recent.mayLook(999, 2)]).toEqual([
      true,
      true,
      false,
    ])
    expect(recent.mayLook(1000, 2)).toBe(true)
  })

  it('a clock that is set back begins another second', () => {
    const recent = new Recent()
    expect([recent.mayLook(5000, 1), recent.mayLook(4001, 1), recent.mayLook(4000, 1)]).toEqual([
      true,
      false,
      true,
    ])
  })
})
