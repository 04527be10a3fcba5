import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { filesIn } from './files-in.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const PAGES = [
  ...['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'bench/README.md'],
  ...['service/README.md', 'service/OPERATING.md', 'service/SPEC.md'],
]

describe('the printed commands and the pages', () => {
  const files = [
    ...PAGES,
    ...['docs', 'cli', 'src', 'adapters', 'examples', 'service/src'].flatMap((folder) => filesIn(folder)),
  ].filter((path) => /\.(md|m?ts)$/.test(path))

  it('the printed commands never let npx fetch a package of this name and run it with the secret', () => {
    const fetching = /\bnpx (?!--no-install |--yes --package=\.\/hookgate\.tgz hookgate )[^`\n]*\bhookgate\b/
    const found = files.filter((path) => fetching.test(readFileSync(root + path, 'utf8')))
    expect(found).toEqual([])
    expect('run npx hookgate send').toMatch(fetching)
    expect(files).toContain('docs/cli.md')
  })
})
