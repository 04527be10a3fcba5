// The JavaScript that is published, in dist; `npm run build` runs it, after tsc has made the types.
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

const root = fileURLToPath(new URL('..', import.meta.url))
const { exports } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
const fromRoot = (id) => relative(root, id).replaceAll('\\', '/')

/** What a user imports, by the source that it is made from: `./dist/src/jwt.js` by `src/jwt.ts`. */
const specifiers = new Map(
  Object.entries(exports)
    .filter(([, target]) => target?.endsWith('.js'))
    .flatMap(([subpath, target]) => (subpath.endsWith('*') ? filesOf(subpath, target) : [[subpath, target]]))
    .map(([subpath, target]) => [
      target.replace('./dist/', '').replace(/\.js$/, '.ts'),
      `hookgate${subpath.slice(1)}`,
    ]),
)

/** `./schemes/*`: one subpath for each file of the folder. */
function filesOf(subpath, target) {
  const folder = dirname(target).replace('./dist/', '')
  return readdirSync(root + folder)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => [subpath, target].map((path) => path.replace('*', name.slice(0, -3))))
}

/** Not published: the tests run them. */
const examples = readdirSync(`${root}examples`)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => `examples/${name}`)

const entries = [...specifiers.keys(), 'src/crypto/node.ts', 'src/crypto/web.ts', 'cli/main.ts', ...examples]

/** The command takes the package as any user would: by its name. */
const byName = {
  name: 'by-name',
  async resolveId(source, importer, options) {
    if (importer === undefined || !fromRoot(importer).startsWith('cli/')) return null
    const resolved = await this.resolve(source, importer, options)
    const id = resolved && specifiers.get(fromRoot(resolved.id))
    return id ? { id, external: true } : resolved
  },
}

/** All that these sources reach, themselves included. */
function reach(sources, context, seen = new Set()) {
  for (const source of sources) {
    if (seen.has(source)) continue
    reach(context.getModuleInfo(source)?.importedIds ?? [], context, seen.add(source))
  }
  return seen
}

/** `hookgate`, and the other modules that most subpaths import. */
const CORE = [
  'src/index.ts',
  'src/shared-id.ts',
  'src/told.ts',
  ...['algorithms', 'der', 'written'].map((name) => `src/crypto/${name}.ts`),
  ...['crc32', 'read-stream', 'recent'].map((name) => `src/lib/${name}.ts`),
].map((source) => root + source)

/**
 * Each file costs time to import, so the common code is in two: `shared` does without `#crypto`, for the stores that need none. A module
 * goes to the first chunk that holds it.
 */
const CHUNKS = {
  'src/shared': (id, context) =>
    reach(CORE, context).has(id) && [...reach([id], context)].every((reached) => reached.startsWith(root)),
  'src/core': (id, context) => reach(CORE, context).has(id),
  'adapters/kit': (id) => /^adapters\/kit\//.test(fromRoot(id)),
  'src/stores/contract': (id) => fromRoot(id) === 'src/stores/contract.ts',
}

const groups = Object.entries(CHUNKS).map(([chunk, holds], index, { length }) => ({
  name: (id, context) => (holds(id, context) ? chunk : null),
  debugName: chunk,
  priority: length - index,
}))

await build({
  cwd: root,
  input: Object.fromEntries(entries.map((source) => [source.replace(/\.ts$/, ''), source])),
  platform: 'neutral',
  external: /^[^./]/,
  plugins: [byName],
  checks: { bundlerTimings: false }, // a busy machine is no mistake
  onLog(_level, { message }) {
    throw new Error(message)
  },
  output: {
    dir: 'dist',
    minifyInternalExports: false,
    entryFileNames: '[name].js',
    // A chunk that rolldown makes by itself has the bare name of a module, and stays in its folder.
    chunkFileNames: ({ name, moduleIds }) =>
      name.includes('/') ? '[name].js' : `${dirname(fromRoot(moduleIds.at(-1) ?? ''))}/[name].js`,
    codeSplitting: { groups },
  },
})
chmodSync(`${root}dist/cli/main.js`, 0o755)

// The page of `hookgate listen --ui`.
const page = `${root}cli/inspector/page/`
await build({
  cwd: root,
  input: `${page}page.js`,
  platform: 'browser',
  checks: { bundlerTimings: false },
  output: { file: 'dist/cli/inspector/page/page.js', minify: true },
})
for (const file of ['page.html', 'page.css', 'icon.svg']) {
  const text = readFileSync(page + file, 'utf8')
  writeFileSync(`${root}dist/cli/inspector/page/${file}`, text.replace(/\n\s*/g, '\n'))
}
