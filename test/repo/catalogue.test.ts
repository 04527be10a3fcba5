import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const TESTS = fileURLToPath(new URL('..', import.meta.url))
const [page = '', untested = ''] = readFileSync(join(TESTS, 'catalogue.md'), 'utf8').split(
  '\n## Rows without a test',
)

const rows = [...page.matchAll(/^\| ([A-Z]\d\d) \|/gm)].map(([, id = '']) => id)
const excused = [...untested.matchAll(/^- \*\*([A-Z]\d\d)\*\*: \S/gm)].map(([, id = '']) => id)

/** The IDs that begin the names of tests, such as `'B01 B02 accepts …'`. */
const tested = new Set(
  readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules'))
    .flatMap((path) => readFileSync(join(TESTS, path), 'utf8').match(/['"`](?:[A-Z]\d\d[ ,/]+)+/g) ?? [])
    .flatMap((names) => names.match(/[A-Z]\d\d/g) ?? []),
)

it('each row stands once, and no other is excused', () => {
  expect(rows).toEqual([...new Set(rows)])
  expect(rows).toEqual(expect.arrayContaining(excused))
})

it.each(rows)('%s has a test that begins with its ID, or a reason why not', (id) => {
  expect(
    tested.has(id) !== excused.includes(id),
    `name ${id} in a test, or at the end of the catalogue`,
  ).toBe(true)
})
