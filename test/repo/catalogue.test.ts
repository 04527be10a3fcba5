import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const TESTS = fileURLToPath(new URL('..', import.meta.url))
const [page = '', untested = ''] = readFileSync(join(TESTS, 'catalogue.md'), 'utf8').split(
  '\n## Rows without a test',
)

const rows = [...page.matchAll(/^\| ([A-Z]\d\d) \|.* \| (.*) \|$/gm)].map(([, id = '', cell = '']) => ({
  id,
  tests: [...cell.matchAll(/\[([^\]]+)\]\(([\w./-]+)\)/g)].map(([, name = '', path = '']) => ({
    name: name.replaceAll('\\', ''),
    path,
  })),
}))
const ids = rows.map(({ id }) => id)
const excused = [...untested.matchAll(/^- \*\*([A-Z]\d\d)\*\*: \S/gm)].map(([, id = '']) => id)

it('the catalogue has each row once, and excuses no other', () => {
  expect(ids).toHaveLength([...page.matchAll(/^\| [A-Z]\d\d \|/gm)].length)
  expect(ids).toEqual([...new Set(ids)])
  expect(ids).toEqual(expect.arrayContaining(excused))
})

it.each(rows)('row $id names tests that exist, or a reason why it has none', ({ id, tests }) => {
  expect(tests.length > 0 !== excused.includes(id), `name a test of ${id}, or a reason`).toBe(true)
  for (const { name, path } of tests) {
    const code = readFileSync(join(TESTS, path), 'utf8')
    const spellings = ["'", '"', '`'].map((quote) => quote + name.replaceAll(quote, `\\${quote}`) + quote)
    expect(
      spellings.some((text) => code.includes(text)),
      `${path} has no test "${name}"`,
    ).toBe(true)
  }
})
