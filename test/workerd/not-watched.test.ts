import { expect, it } from 'vitest'
import { isWatched } from '../../src/explained.ts'

it('a Worker explains no refusal, whatever stands in for the process of Node', () => {
  expect(isWatched()).toBe(false)
})
