import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)
const page = readFileSync(new URL('docs/catalogue.md', root), 'utf8')

const ROWS = { B: 28, J: 16, T: 14, U: 11, I: 24, H: 29, K: 40, C: 22, S: 20, D: 31, P: 17 }

const rows = page
  .split('\n')
  .map((line) => /^\| ([A-Z]\d\d) \|.*\| ([^|]*) \|$/.exec(line))
  .filter((row) => row !== null)
  .map(([, id = '', where = '']) => ({ id, where }))

/** The test files that a row names, and the rest of its last cell, which is a reason. */
function readWhere(where: string) {
  const files = [...where.matchAll(/`([a-z0-9/-]+)`/g)].map(([, name]) => `test/${name}.test.ts`)
  return { files, reason: where.replace(/`[a-z0-9/-]+`/g, '').trim() }
}

describe('docs/catalogue.md', () => {
  it('has each row exactly once', () => {
    const expected = Object.entries(ROWS).flatMap(([letter, count]) =>
      Array.from({ length: count }, (_, index) => `${letter}${`${index + 1}`.padStart(2, '0')}`),
    )
    const listed = rows.map(({ id }) => id)
    expect(listed.toSorted(), 'after you add a row, raise its letter in ROWS').toEqual(expected.toSorted())
  })

  it.each(rows)('$id is tested where the page says, or has a reason why not', ({ id, where }) => {
    const { files, reason } = readWhere(where)
    if (files.length === 0) expect(reason.length).toBeGreaterThan(20)
    for (const file of files) {
      expect([file, existsSync(new URL(file, root))]).toEqual([file, true])
      expect(readFileSync(new URL(file, root), 'utf8')).toMatch(
        new RegExp(`['"\`](?:[A-Z]\\d\\d[ ,/]+)*${id}[ ,/]`),
      )
    }
  })
})
