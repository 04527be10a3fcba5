import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { filesIn } from './files-in.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** `vi.waitFor` gives up after a second, unless told otherwise. */
const DEADLINE = /\bvi\.waitFor\(|\.poll\((?:(?!\)\s*\.(?:not|to[A-Z])).)*?\btimeout:/s

it.each([
  ['await vi.waitFor(() => expect(seen).toBe(1))', true],
  ['await expect.poll(() => seen, { timeout: 5_000 }).toBe(1)', true],
  ['await expect\n  .poll(async () => (await ask()).status, {\n    timeout: 5_000,\n  })\n  .toBe(1)', true],
  ['await expect.poll(() => seen).toBe(1)', false],
  ["await expect.poll(() => seen, { interval: 5 }).toBe(1)\nit('next', { timeout: 90_000 }, next)", false],
])('%s has a deadline of its own: %s', (text, expected) => {
  expect(DEADLINE.test(text)).toBe(expected)
})

it('tests wait with expect.poll, whose deadline is that of the test', () => {
  const files = [...filesIn('test', '.ts'), ...filesIn('service/test', '.ts')].filter(
    (path) => path !== 'test/repo/waiting.test.ts',
  )
  expect(files.filter((path) => DEADLINE.test(readFileSync(join(root, path), 'utf8')))).toEqual([])
})
