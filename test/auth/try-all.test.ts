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
  ])(
    'every candidate is tried, and the first that matches is returned, if %s',
    (_, right: readonly string[]) => {
      const asked: string[] = []
      const found = tryAll(['a', 'b', 'c'], (candidate) => {
        asked.push(candidate)
        return right.includes(candidate)
      })
      expect(found).toBe(right[0])
      expect(asked).toEqual(['a', 'b', 'c'])
    },
  )

  it('all are tried at once if one must wait, and the first in order is returned, not the first to answer', async () => {
    const asked: string[] = []
    const found = tryAll(['a', 'b', 'c'], (candidate) => {
      asked.push(candidate)
      return candidate === 'a' ? false : later(true, candidate === 'b' ? 9 : 1)
    })
    expect(asked).toEqual(['a', 'b', 'c'])
    expect(await found).toBe('b')
  })

  it('one that cannot be tried rejects', async () => {
    const tried = tryAll(['a', 'b'], async (candidate) => {
      if (candidate === 'b') throw new Error('no such key')
      return true
    })
    await expect(tried).rejects.toThrow('no such key')
  })
})
