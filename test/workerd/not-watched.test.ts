import { expect, it } from 'vitest'
import { readerOf } from '../../src/explained.ts'

it('a Worker explains no refusal, whatever stands in for the process of Node', () => {
  expect(readerOf()).toBeUndefined()
})
