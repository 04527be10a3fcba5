import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { manifest, root, schemeNames } from './manifest.ts'

const installed = join(inject('bare'), 'node_modules/hookgate')

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
}

const DOCUMENTS = ['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'package.json']

/** What platforms in other languages read. No program imports it. */
const DATA = ['schemes.json', 'schemes.schema.json'].map((name) => `docs/schemes/${name}`)

/** Files that several sources were bundled into. Every other file of the program has the name of its source. */
const CHUNKS = ['src/shared', 'src/core', 'adapters/kit'].map((name) => `dist/${name}.js`)

/** The page of `hookgate listen --ui`. */
const PAGE = ['page.html', 'page.css', 'page.js', 'icon.svg'].map((name) => `dist/cli/inspector/page/${name}`)

describe('the tarball', () => {
  it('the tarball holds the program, the types of every source, the page, the documents, the data of senders, and nothing else', () => {
    const entries = Object.values(manifest.exports)
      .flatMap((path) => (path?.endsWith('.js') ? [path] : []))
      .flatMap((path) => (path.includes('*') ? schemeNames.map((name) => path.replace('*', name)) : [path]))
      .map((path) => path.slice(2))
    const types = ['src', 'adapters'].flatMap((folder) =>
      filesIn(join(root, folder))
        .filter((path) => path.endsWith('.ts'))
        .map((path) => `dist/${folder}/${path.replace(/\.ts$/, '.d.ts')}`),
    )
    const isProgram = (path: string) =>
      CHUNKS.includes(path) || existsSync(join(root, path.replace(/^dist\/(.*)\.js$/, '$1.ts')))
    const files = filesIn(installed)
    const program = files.filter((path) => path.endsWith('.js') && isProgram(path))
    expect(program).toEqual(expect.arrayContaining([...entries, ...CHUNKS]))
    const others = files.filter((path) => !program.includes(path))
    expect(others.toSorted()).toEqual([...DATA, ...DOCUMENTS, ...PAGE, ...types].toSorted())
  })

  it('the tarball has an executable command', () => {
    const command = join(installed, 'dist/cli/main.js')
    expect(readFileSync(command, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
    expect(statSync(command).mode & 0o111).toBe(0o111)
  })

  it('the tarball brings its dependencies, none of theirs, and no install script of its own or theirs', () => {
    const packages = readdirSync(join(inject('bare'), 'node_modules')).filter((name) => !name.startsWith('.'))
    expect(packages).toEqual(['hookgate', ...Object.keys(manifest.dependencies)].toSorted())
    const scripts = packages.flatMap((name) =>
      Object.keys(
        JSON.parse(readFileSync(join(inject('bare'), 'node_modules', name, 'package.json'), 'utf8'))
          .scripts ?? {},
      ).filter((script) => /^(pre|post)?install$/.test(script)),
    )
    expect(scripts).toEqual([])
  })
})

it('an install takes as many MB as the README says', () => {
  const folder = join(inject('bare'), 'node_modules')
  const bytes = filesIn(folder).reduce((sum, path) => sum + statSync(join(folder, path)).size, 0)
  const [, said] = /none transitive: (\d+) MB/.exec(readFileSync('README.md', 'utf8')) ?? []
  expect(Math.round(bytes / 1_000_000)).toBe(Number(said))
})
