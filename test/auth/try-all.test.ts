import { describe, expect, it } from 'vitest'
import { tryAll } from '../../src/auth/try-all.ts'

const later = async (answer: boolean, turns: number) => {
  for (let turn = 0; turn < turns; turn += 1) await undefined
  return answer
}

describe('tryAll', () => {
  it.each([
    ['the first matches', ['a']],
    ['the last matches', ['c']],
    ['several match', ['b', 'c']],
    ['none matches', []],
  ])('asks about every candidate and returns the first that matches if %s', (_, right: readonly string[]) => {
    const asked: string[] = []
    const found = tryAll(['a', 'b', 'c'], (candidate) => {
      asked.push(candidate)
      return right.includes(candidate)
    })
    expect(found).toBe(right[0])
    expect(asked).toEqual(['a', 'b', 'c'])
  })

  it('asks about all at once if it must wait, and returns the first in order, not the first to answer', async () => {
    const asked: string[] = []
    const found = tryAll(['a', 'b', 'c'], (candidate) => {
      asked.push(candidate)
      return candidate === 'a' ? false : later(true, candidate === 'b' ? 9 : 1)
    })
    expect(asked).toEqual(['a', 'b', 'c'])
    expect(await found).toBe('b')
  })

  it('rejects if a candidate cannot be tried', async () => {
    const tried = tryAll(['a', 'b'], async (candidate) => {
      if (candidate === 'b') throw new Error('no such key')
      return true
    })
    await expect(tried).rejects.toThrow('no such key')
  })
})
