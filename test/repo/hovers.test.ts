import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const folder = fileURLToPath(new URL('../../src/schemes', import.meta.url))
const files = readdirSync(folder).filter((name) => name.endsWith('.ts'))

/** The docstring of the factory: the last one that has an example. */
function docstringOf(file: string): string {
  const docstrings = readFileSync(`${folder}/${file}`, 'utf8').match(/\/\*\*[\s\S]*?\*\//g) ?? []
  return docstrings.findLast((text) => text.includes('@example')) ?? ''
}

it('the hover over each scheme begins with what it does', () => {
  expect(files.length).toBeGreaterThan(60)
  expect(files.filter((file) => !/^\/\*\*\s+\* Verifies /.test(docstringOf(file)))).toEqual([])
})
