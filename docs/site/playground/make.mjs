// Builds the playground into the site: a separate page without VitePress's runtime, on the published package.
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const here = fileURLToPath(new URL('.', import.meta.url))
const target = `${root}docs/site/dist/playground`

/** Resolves `hookgate/…` as a user's bundler does, to the browser build. */
const byName = {
  name: 'by-name',
  resolveId(source) {
    return /^hookgate(?:\/|$)/.test(source)
      ? this.resolve(source, `${root}package.json`, { skipSelf: true })
      : null
  },
}

/** The senders and a way to load each scheme, from the package's own files. */
const senders = {
  name: 'senders',
  resolveId: (source) => (source === 'virtual:senders' ? source : null),
  load: async (id) => (id === 'virtual:senders' ? sendersModule() : null),
}

async function sendersModule() {
  const names = readdirSync(`${root}dist/src/schemes`)
    .filter((file) => /^[a-z0-9-]+\.js$/.test(file))
    .map((file) => file.slice(0, -3))
  const rows = await Promise.all(names.map(async (name) => ({ name, sender: await senderOf(name) })))
  rows.sort((a, b) => `${a.sender} ${a.name}`.localeCompare(`${b.sender} ${b.name}`, 'en'))
  const lines = rows.map(
    ({ name, sender }) =>
      `{ name: '${name}', sender: ${JSON.stringify(sender)}, load: () => import('hookgate/schemes/${name}') }`,
  )
  return `export const SENDERS = [${lines.join(',\n')}]`
}

/** The sender of a scheme. */
async function senderOf(name) {
  const module = await import(`${root}dist/src/schemes/${name}.js`)
  const { scheme } = Object.values(module).find((value) => value?.scheme?.name === name)
  return scheme.sender
}

await build({
  cwd: root,
  input: { playground: `${here}page.ts` },
  platform: 'browser',
  plugins: [byName, senders],
  checks: { bundlerTimings: false },
  onLog(_level, { message }) {
    throw new Error(message)
  },
  output: {
    dir: target,
    minify: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
  },
})
mkdirSync(target, { recursive: true })
for (const file of ['index.html', 'style.css', 'icon.svg']) copyFileSync(here + file, `${target}/${file}`)
