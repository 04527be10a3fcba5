import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { dedupeOf } from '../../src/scheme/compile-scheme.ts'
import { SCHEME_NAMES, schemeFactory } from '../support/schemes.ts'
import { differencesTable, sendersTable, withTable } from './schemes-tables.ts'

const root = new URL('../../', import.meta.url)
const PAGE = fileURLToPath(new URL('docs/schemes.md', root))
const VECTORS = new URL('test/vectors/schemes/', root)

const schemes = await Promise.all(
  SCHEME_NAMES.map(async (name) => {
    const { scheme } = await schemeFactory(name)
    return { scheme, dedupe: dedupeOf(scheme) }
  }),
)
const vectors = readdirSync(VECTORS)
  .filter((name) => name.endsWith('.json') && SCHEME_NAMES.includes(name.replace('.json', '')))
  .map((name) => JSON.parse(readFileSync(new URL(name, VECTORS), 'utf8')))

it('docs/schemes.md is up to date (npm run docs:schemes)', async () => {
  const page = readFileSync(PAGE, 'utf8')
  const held = withTable(page, 'table', sendersTable(schemes))
  await expect(withTable(held, 'differences', differencesTable(vectors))).toMatchFileSnapshot(PAGE)
})
