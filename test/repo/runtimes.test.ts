import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DIFFERENCES } from '../support/differences.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const page = read('docs/runtimes.md')
const { dependencies, optionalDependencies } = JSON.parse(read('test/suites/runtimes/package.json'))

const VERSIONS: readonly (readonly [name: string, version: string])[] = [
  ...['20', '22', '24', '26'].map(
    (major) => [`Node ${major}`, optionalDependencies[`node${major}-linux-x64`].split('@').at(-1)] as const,
  ),
  ['Bun', dependencies.bun],
  ['Deno', dependencies.deno],
  ['workerd', dependencies.workerd],
]

describe('docs/runtimes.md', () => {
  it.each(VERSIONS)('the page has the installed version of %s: %s', (name, version) => {
    expect(page).toContain(`| ${name} | ${version} |`)
  })

  it.each(Object.entries(DIFFERENCES))('the page lists where replies differ: %s', (name, { on, why }) => {
    expect(page).toContain(`| ${name} | ${on.join(', ')} | ${why} |`)
  })
})
