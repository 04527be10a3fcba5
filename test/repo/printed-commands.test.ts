import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const PAGES = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'service/README.md', 'bench/README.md']

function filesIn(folder: string): string[] {
  return readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(md|m?ts)$/.test(path) && !path.includes('node_modules'))
    .map((path) => `${folder}/${path}`)
}

describe('the printed commands and the pages', () => {
  const files = [...PAGES, ...['docs', 'cli', 'src', 'adapters', 'examples', 'service/src'].flatMap(filesIn)]

  it('the printed commands never let npx fetch a package of this name and run it with the secret', () => {
    const fetching = /\bnpx (?!--no-install )[^`\n]*\bhookgate\b/
    const found = files.filter((path) => fetching.test(readFileSync(root + path, 'utf8')))
    expect(found).toEqual([])
    expect('run npx hookgate send').toMatch(fetching)
    expect(files).toContain('docs/cli.md')
  })
})
