import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { FRAMEWORKS } from '../../repo/own-frameworks.ts'
import { manifest, root, schemeNames, specifierOf, subpaths } from './manifest.ts'

const MODES = {
  nodenext: { module: 'nodenext' },
  node20: { module: 'node20' },
  bundler: { module: 'preserve', moduleResolution: 'bundler' },
}

/** The lowest that docs/runtimes.md names, and the newest. `node20` came with 5.9. */
const COMPILERS = ['5.7', '7.0']

it('docs/runtimes.md names the lowest compiler that is tested', () => {
  expect(readFileSync(join(root, 'docs/runtimes.md'), 'utf8')).toMatch(
    new RegExp(`TypeScript\\s${COMPILERS[0]}\\sor\\snewer`),
  )
})

const modesOf = (compiler: string) =>
  Object.entries(MODES).filter(([mode]) => compiler !== '5.7' || mode !== 'node20')

/** The strictest options that a project can have, which also check the declarations of others. */
const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
  noEmit: true,
  declaration: true,
  allowImportingTsExtensions: true,
  target: 'es2023',
  types: ['node'],
}

/** The sources of a test, with the imports that a user would write. */
function asConsumer(source: string): string {
  return source
    .replace(`import { expectTypeOf, test } from 'vitest'`, TEST)
    .replaceAll(/'\.\.\/\.\.\/src\/schemes\/([^'/]+)\.ts'/g, "'hookgate/schemes/$1'")
    .replaceAll(/'(\.\.\/\.\.\/[^']+\.ts)'/g, (path, file) => SPECIFIERS.get(file) ?? path)
}

/** The specifier that users import, by the path in our type tests. */
const SPECIFIERS = new Map(
  Object.entries(manifest.exports).map(([subpath, target]) => [
    target?.replace('./dist/', '../../').replace(/\.js$/, '.ts'),
    `'${specifierOf(subpath)}'`,
  ]),
)

const TEST = `import { expectTypeOf } from 'expect-type'
const test = (_name: string, run: () => unknown): unknown => run`

/** The frameworks' quick starts. The other examples need more packages, and `npm run build` compiles them. */
const QUICK_STARTS = FRAMEWORKS.map((name) => `examples/${name}.ts`)

/** Every subpath, imported from CommonJS. */
const REQUIRES = subpaths
  .map((subpath, index) => `import m${index} = require('${specifierOf(subpath)}')\nvoid m${index}`)
  .join('\n')

/** Next.js compiles only under `bundler`, so its example imports without an extension. */
const BUNDLER_ONLY = 'next.test-d.ts'

/** A registry of senders: `{ stripe, github, … }`. */
const EVERY_SCHEME = schemeNames
  .map(
    (name, index) =>
      `import * as s${index} from 'hookgate/schemes/${name}'\nexport const t${index} = { ...s${index} }`,
  )
  .join('\n')

/** What a user's library exports without writing a type. Its declarations have to name ours, so ours have to be exported. */
const INFERRED = `import type { Authenticator, EventStore, Evidence } from 'hookgate'
${EVERY_SCHEME}
export const counted = (auth: Authenticator) => ({ ...auth })
export const seen = (evidence: Evidence) => ({ ...evidence })
export const logged = (store: EventStore) => ({ ...store })
`

/** Makes a folder in the consumer with the type tests, the examples and a CommonJS file. */
function writeSources(consumer: string, bundler: boolean): string {
  const folder = mkdtempSync(join(consumer, 'compiled-'))
  mkdirSync(join(folder, 'test/types'), { recursive: true })
  for (const name of readdirSync(join(root, 'test/types'))) {
    if (!name.endsWith('.test-d.ts') || (name === BUNDLER_ONLY && !bundler)) continue
    const source = asConsumer(readFileSync(join(root, 'test/types', name), 'utf8'))
    expect(source).not.toMatch(/from '..\/..\/(?!examples)|from 'vitest'/)
    writeFileSync(join(folder, 'test/types', name), source)
  }
  cpSync(join(root, 'examples'), join(folder, 'examples'), { recursive: true })
  writeFileSync(join(folder, 'requires.cts'), REQUIRES)
  writeFileSync(join(folder, 'inferred.ts'), INFERRED)
  return folder
}

/** The output of the compiler, empty if all compiles. */
async function compile(compiler: string, compilerOptions: { module: string }): Promise<string> {
  const folder = writeSources(inject('consumer'), compilerOptions.module === MODES.bundler.module)
  const requires = compiler === '5.7' ? [] : ['requires.cts'] // TypeScript requires ES modules since 5.8
  return run(compiler, folder, compilerOptions, ['test/types', 'inferred.ts', ...requires, ...QUICK_STARTS])
}

/** The output of the compiler for these files of a folder. */
async function run(
  compiler: string,
  folder: string,
  compilerOptions: object,
  include: readonly string[],
): Promise<string> {
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }))
  const tsc = join(inject('consumer'), `node_modules/typescript-${compiler}/bin/tsc`)
  return new Promise((resolve) => {
    execFile(process.execPath, [tsc, '-p', folder], (_error, stdout, stderr) => resolve(stdout + stderr))
  })
}

describe.each(COMPILERS)('with TypeScript %s', (compiler) => {
  it.each(modesOf(compiler))('the type tests and the quick starts compile under %s', async (_, mode) => {
    expect(await compile(compiler, { ...STRICT, ...mode })).toBe('')
  })

  it('they also compile with the types of the oldest frameworks', async () => {
    const old = (path: string) => [join(root, 'test/suites/frameworks/node_modules', path)]
    const paths = { fastify: old('fastify/fastify.d.ts'), hono: old('hono/dist/types/index.d.ts') }
    // Errors in their own types are not ours.
    const options = { ...STRICT, ...MODES.nodenext, paths, skipLibCheck: true }
    expect(await compile(compiler, options)).toBe('')
  })
})

/** Every subpath, imported as ES modules do. */
const IMPORTS = subpaths
  .map((subpath, at) => `import * as m${at} from '${specifierOf(subpath)}'\nvoid m${at}`)
  .join('\n')

it.each(COMPILERS)('the declarations need no library after ES2020, with TypeScript %s', async (compiler) => {
  const folder = mkdtempSync(join(inject('consumer'), 'compiled-'))
  writeFileSync(join(folder, 'every.ts'), IMPORTS)
  // What the frameworks' own types need is not ours.
  const options = { ...STRICT, ...MODES.bundler, target: 'es2020', lib: ['es2020', 'dom'] }
  const output = await run(compiler, folder, options, ['every.ts'])
  expect(output.split('\n').filter((line) => line.includes('node_modules/hookgate/'))).toEqual([])
})

/** TypeScript 6.0 deprecates this resolution, and 7.0 has removed it. */
it.each(['5.7', '5.9'])(
  'TypeScript %s under moduleResolution node finds the types of every subpath',
  async (compiler) => {
    const folder = mkdtempSync(join(inject('consumer'), 'compiled-'))
    writeFileSync(join(folder, 'every.ts'), IMPORTS)
    const old = { module: 'commonjs', moduleResolution: 'node10', esModuleInterop: true, skipLibCheck: true }
    const options = { strict: true, noEmit: true, target: 'es2022', types: ['node'], ...old }
    expect(await run(compiler, folder, options, ['every.ts'])).toBe('')
  },
)

it.each(COMPILERS)(
  'the quick starts compile without `strict`, as Next.js sets up a project, with TypeScript %s',
  async (compiler) => {
    const folder = writeSources(inject('consumer'), true)
    const options = { ...STRICT, ...MODES.bundler, strict: false, skipLibCheck: true }
    const { exactOptionalPropertyTypes: _, ...loose } = options // it needs `strictNullChecks`
    expect(await run(compiler, folder, loose, [...QUICK_STARTS, 'examples/web/next.ts'])).toBe('')
  },
)

it('the program of docs/frameworks/express.md compiles with the types of Express 4', async () => {
  const folder = mkdtempSync(join(inject('consumer'), 'compiled-'))
  cpSync(join(root, 'examples/express.ts'), join(folder, 'express.ts'))
  const types = join(inject('consumer'), 'node_modules/types-express-4/index.d.ts')
  const options = { ...STRICT, ...MODES.nodenext, paths: { express: [types] }, skipLibCheck: true }
  expect(await run('5.9', folder, options, ['express.ts'])).toBe('')
})

it("the adapter of docs/frameworks/other.md compiles against the declarations of hookgate/adapter, with Koa's types", async () => {
  const folder = mkdtempSync(join(inject('consumer'), 'compiled-'))
  for (const name of ['koa.ts', 'listener.ts'])
    cpSync(join(root, 'test/suites/hosts', name), join(folder, name))
  for (const mode of Object.values(MODES)) {
    // The declarations of Koa's own types are not ours to check.
    expect(await run('5.9', folder, { ...STRICT, ...mode, skipLibCheck: true }, ['koa.ts'])).toBe('')
  }
})
