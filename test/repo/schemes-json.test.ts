import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, it } from 'vitest'
import { RETRIES } from '../../docs/schemes/retries.ts'
import { sourceOf } from '../../docs/schemes/sources.ts'
import { SCHEME_NAMES, schemeFactory } from '../support/schemes.ts'
import { schemesJson } from './schemes-json.ts'

const root = new URL('../../docs/schemes/', import.meta.url)
const FILE = fileURLToPath(new URL('schemes.json', root))
const parsed = (name: string) => JSON.parse(readFileSync(new URL(name, root), 'utf8'))

const made = schemesJson(
  await Promise.all(
    SCHEME_NAMES.map(async (name) => {
      const { scheme } = await schemeFactory(name)
      const [retries, source] = [RETRIES[name], sourceOf(name)]
      if (retries === undefined || source === undefined)
        throw new Error(`add '${name}' to docs/schemes/retries.ts`)
      return { scheme, retries, source }
    }),
  ),
)

it('docs/schemes/schemes.json is up to date (npm run docs:schemes)', async () => {
  await expect(made).toMatchFileSnapshot(FILE)
})
