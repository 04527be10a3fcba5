import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { manifest, root } from './manifest.ts'

const installed = join(inject('bare'), 'node_modules/hookgate')

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
}

const DOCUMENTS = ['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'package.json']

describe('the tarball', () => {
  it('holds the program and the types of every source, five documents, and nothing else', () => {
    const built = ['src', 'stores', 'adapters', 'cli'].flatMap((folder) =>
      filesIn(join(root, folder))
        .filter((path) => path.endsWith('.ts'))
        .flatMap((path) => ['.js', '.d.ts'].map((end) => `dist/${folder}/${path.replace(/\.ts$/, end)}`)),
    )
    expect(built.length).toBeGreaterThan(150)
    expect(filesIn(installed).toSorted()).toEqual([...DOCUMENTS, ...built].toSorted())
  })

  it('has a command that can be run', () => {
    const command = join(installed, 'dist/cli/main.js')
    expect(readFileSync(command, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
    expect(statSync(command).mode & 0o111).toBe(0o111)
  })

  it('brings its dependencies, none of theirs, and no install script of its own or theirs', () => {
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
