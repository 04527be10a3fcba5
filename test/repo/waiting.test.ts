import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { filesIn } from './files-in.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** `vi.waitFor` and `vi.waitUntil` give up after a second, unless told otherwise. */
const DEADLINE = /\bvi\.wait(?:For|Until)\(|\.poll\((?:(?!\)\s*\.(?:not|to[A-Z])).)*?\btimeout:/s

it.each([
  ['await vi.waitFor(() => expect(seen).toBe(1))', true],
  ['const pid = await vi.waitUntil(() => pidOf(server), 10_000)', true],
  ['await expect.poll(() => seen, { timeout: 5_000 }).toBe(1)', true],
  ['await expect\n  .poll(async () => (await ask()).status, {\n    timeout: 5_000,\n  })\n  .toBe(1)', true],
  ['await expect.poll(() => seen).toBe(1)', false],
  ["await expect.poll(() => seen, { interval: 5 }).toBe(1)\nit('next', { timeout: 90_000 }, next)", false],
])('%s has a deadline of its own: %s', (text, expected) => {
  expect(DEADLINE.test(text)).toBe(expected)
})

const files = [...filesIn('test', '.ts'), ...filesIn('service/test', '.ts')].filter(
  (path) => path !== 'test/repo/waiting.test.ts',
)
const filesWith = (pattern: RegExp) =>
  files.filter((path) => pattern.test(readFileSync(join(root, path), 'utf8')))

it('tests wait with expect.poll, whose deadline is that of the test', () => {
  expect(filesWith(DEADLINE)).toEqual([])
})

/** An upper bound of the time since something began. To compare times or clocks with each other is fine, and so is a lower bound. */
const TIMED = /\bexpect\((?!Math\.abs\().*(?:performance|Date)\.now\(\) - \w+.*\)\s*\.toBeLessThan/

it.each([
  ['expect(performance.now() - startedAt).toBeLessThan(2_000)', true],
  ['expect((performance.now() - startedAt) / 50).toBeLessThanOrEqual(20)', true],
  ['expect(performance.now() - startedAt).toBeGreaterThan(25)', false],
  ['expect(durationMs).toBeLessThanOrEqual(performance.now() - startedAt)', false],
  ['expect(Math.abs(expiresAt - spanMs - Date.now() - aheadMs)).toBeLessThan(10_000)', false],
])('%s is red on a slow machine: %s', (text, expected) => {
  expect(TIMED.test(text)).toBe(expected)
})

it('no test is timed by the machine: what takes too long hangs until the deadline of the test', () => {
  expect(filesWith(TIMED)).toEqual([])
})
