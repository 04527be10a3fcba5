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

/** Files besides the entries of `exports`: shared chunks, and the two builds of `#crypto`. */
const PROGRAM = [
  ...[
    'shared',
    'core',
    'crypto/node',
    'crypto/web',
    'signing/sign',
    'signing/sign-as',
    'testing/wrong-signatures',
  ].map((name) => `src/${name}`),
  'sender/judge',
  ...[
    'certificate',
    'fetch-bytes',
    'jwks',
    'public-key',
    'remote-certificates',
    'remote-key-set',
    'remote-value',
    'remote-values',
    'token',
  ].map((name) => `src/auth/${name}`),
  ...['base64', 'bytes', 'hex', 'single-flight', 'weak-keys'].map((name) => `src/lib/${name}`),
  ...[
    'accept-secret',
    'any-body',
    'body-hash',
    'content',
    'define-code-scheme',
    'define-scheme',
    'hashed-token',
    'key-bytes',
    'mac-keys',
    'same-text',
    'scheme',
    'standard-webhooks-row',
    'token-keys',
  ].map((name) => `src/scheme/${name}`),
  ...['contract', 'sqlite/table-store'].map((name) => `stores/${name}`),
  'adapters/kit',
]

/** The page of `hookgate listen --ui`. */
const PAGE = ['page.html', 'page.css', 'page.js', 'icon.svg'].map((name) => `dist/cli/inspector/page/${name}`)

describe('the tarball', () => {
  it('holds the program in these files, the types of every source, five documents, and nothing else', () => {
    const entries = Object.values(manifest.exports)
      .filter((path) => path.endsWith('.js'))
      .flatMap((path) => (path.includes('*') ? schemeNames.map((name) => path.replace('*', name)) : [path]))
    const types = ['src', 'schemes', 'stores', 'adapters', 'sender'].flatMap((folder) =>
      filesIn(join(root, folder))
        .filter((path) => path.endsWith('.ts'))
        .map((path) => `dist/${folder}/${path.replace(/\.ts$/, '.d.ts')}`),
    )
    expect(types.length).toBeGreaterThan(80)
    const program = [...entries.map((path) => path.slice(2)), ...PROGRAM.map((path) => `dist/${path}.js`)]
    // The command is bundled too, into files that its commands share.
    const isCommand = (path: string) =>
      /^dist\/cli\/.*\.js$/.test(path) && existsSync(join(root, path.replace(/^dist\/(.*)\.js$/, '$1.ts')))
    const files = filesIn(installed).filter((path) => !isCommand(path))
    expect(files.toSorted()).toEqual([...DOCUMENTS, ...program, ...PAGE, ...types].toSorted())
  })

  it('has an executable command', () => {
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
