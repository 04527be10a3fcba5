import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { STATUS } from '../../src/reason.ts'
import { filesIn } from './files-in.ts'
import { FRAMEWORKS } from './own-frameworks.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const why = read('docs/why.md')
const checks = read('docs/how-it-works.md')
/** The pages of stores: which to choose, and one for each. */
const stores = filesIn('docs/stores', '.md').map(read).join('\n')
const options = read('docs/options.md') + read('docs/tenants.md') + stores
const OPTION_PAGES =
  'add each option, in backticks, to docs/options.md, docs/tenants.md or a page of docs/stores'

/** The names before a colon, indented by two, from `opening` to the next closing line. */
function namesIn(path: string, opening: string): string[] {
  const [, body = ''] = read(path).split(opening)
  const block = body.slice(0, body.indexOf('\n}'))
  return [...block.matchAll(/^ {2}(?:readonly )?(\w+)\??:/gm)].map(([, name = '']) => name)
}

/** The tables of checks in a folder: the path of each, and the line that opens it. A file has at most one. */
function optionTablesOf(folder: string): (readonly [path: string, opening: string])[] {
  return filesIn(folder, '.ts').flatMap((file) => {
    const [, opening] = /(OptionTable<\w+> = \{)\n/.exec(read(file)) ?? []
    return opening ? [[file, opening] as const] : []
  })
}

type Row = Readonly<Record<string, unknown>>

/** The rows of a suite's last run on Node 20. */
const rowsOf = (suite: string): readonly Row[] => JSON.parse(read('bench/results/node-20.json'))[suite].rows

/** The rows of hookgate, or of another verifier. */
const measured = (suite: string, name = 'hookgate') => rowsOf(suite).filter((row) => row.name === name)

const ratios = (rows: readonly Row[], column: string) =>
  rows.map((row) => Number(row[column]).toFixed(1)).join(' · ')

it.each(['README.md', 'docs/inspector.md'])('the picture of %s follows the theme', (page) => {
  const [, dark = '', light = ''] =
    /<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="(\S+)">\s*<img src="(\S+)"/.exec(
      read(page),
    ) ?? []
  const folder = page.includes('/') ? 'docs/' : ''
  expect([dark, light].map((each) => existsSync(new URL(`../../${folder}${each}`, import.meta.url)))).toEqual(
    [true, true],
  )
  expect(dark).not.toBe(light)
})

it('the README has at most 450 words', () => {
  const words = read('README.md').trim().split(/\s+/)
  expect(words.length).toBeGreaterThan(200)
  expect(words.length).toBeLessThanOrEqual(450)
})

it.each(['nextjs', 'workers', 'vercel', 'netlify', 'supabase', 'firebase', 'serverless'])(
  'the programs of docs/frameworks/%s.md use a store that outlives a process',
  (page) => {
    const programs = [...read(`docs/frameworks/${page}.md`).matchAll(/^```ts.*?^```$/gms)].join('')
    expect(programs).toMatch(/hookgate\/stores\/(?:redis|postgres|dynamodb|durable-object)'/)
    expect(programs).not.toContain('memoryStore')
  },
)

describe('CONTRIBUTING.md', () => {
  const page = read('CONTRIBUTING.md')
  const quoted = [...page.matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text)
  const paths = quoted.filter((text) =>
    /^(src|adapters|cli|docs|service|test|tools|bench|examples|\.ci)(\/[\w./-]+)?$/.test(text),
  )
  const scripts = [...page.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, name = '']) => name)

  it('the page names files and folders that exist', () => {
    expect(paths).toContain('src/verify.ts')
    expect(paths.filter((path) => !existsSync(new URL(`../../${path}`, import.meta.url)))).toEqual([])
  })

  it('the page names scripts that exist', () => {
    expect(scripts).toContain('check')
    expect(Object.keys(JSON.parse(read('package.json')).scripts)).toEqual(expect.arrayContaining(scripts))
  })
})

describe('the pages', () => {
  it.each([
    ['HMAC, every check', ratios(measured('hmac'), 'toFloor')],
    ['the same by standardwebhooks', ratios(measured('hmac', 'standardwebhooks'), 'toFloor')],
    [
      'JWT, every check',
      ratios(
        measured('jwt').filter(({ lanes }) => lanes === 1),
        'toJose',
      ),
    ],
    [
      'the same, 32 at once',
      ratios(
        measured('jwt').filter(({ lanes, clock }) => lanes === 32 && clock === 'wall'),
        'toJose',
      ),
    ],
    [
      'HTTP, CPU per request',
      ratios(
        measured('http').filter(({ framework }) => ['Express 5', 'Fastify', 'Hono'].includes(`${framework}`)),
        'cpuToFloor',
      ),
    ],
    [
      'under attack',
      rowsOf('attack')
        .map(({ attacked }) => Object(attacked).p99.toFixed(1))
        .join(' · '),
    ],
  ])('the pages have the figures of the last bench: %s', (row, figures) => {
    expect(why.split('\n').find((line) => line.startsWith(`| ${row}`))).toContain(` | ${figures} | `)
  })

  it('the README has the range of the HMAC ratios', () => {
    const all = measured('hmac').map(({ toFloor }) => Number(toFloor))
    const range = [Math.min(...all), Math.max(...all)].map((ratio) => ratio.toFixed(1)).join(' to ')
    expect(read('README.md')).toContain(`[${range} times as long](docs/why.md#speed)`)
  })

  it('docs/stores.md names every store', () => {
    const manifest: { readonly exports: object } = JSON.parse(read('package.json'))
    const subpaths = Object.keys(manifest.exports).filter((subpath) => subpath.startsWith('./stores/'))
    expect(subpaths).toContain('./stores/redis')
    const page = read('docs/stores.md')
    expect(
      subpaths.filter((name) => !page.includes(`from \`hookgate/${name.slice(2)}\``)),
      'add a row with from `hookgate/stores/…` to docs/stores.md',
    ).toEqual([])
  })

  it('the pages name every reason', () => {
    const reasons = namesIn('src/reason.ts', 'export const STATUS = {')
    expect(reasons).toEqual(Object.keys(STATUS))
    expect(
      reasons.filter((reason) => !checks.includes(`\`${reason}\``)),
      'add each reason to a row of docs/how-it-works.md',
    ).toEqual([])
  })

  it.each<readonly [path: string, opening: string]>([
    ['src/listener.ts', 'interface ListenerOptions<Payload = Json, Events = Payload> {'],
    ['adapters/kit/receiver.ts', 'interface ReceiverOptions {'],
    ...FRAMEWORKS.map(
      (name) => [`adapters/${name}.ts`, 'interface VerifyWebhookOptions extends ReceiverOptions {'] as const,
    ),
    ['src/auth/remote-value.ts', 'interface RemoteOptions {'],
    ['src/auth/remote-key-set.ts', 'interface RemoteKeySetOptions extends RemoteOptions {'],
    ['src/listeners.ts', 'interface ListenersOptions<Given extends Listener<unknown> = Listener> {'],
  ])('the pages name every option of %s', (path, opening) => {
    const names = namesIn(path, opening)
    expect(names.length).toBeGreaterThan(0)
    expect(
      names.filter((option) => !options.includes(`\`${option}`)),
      OPTION_PAGES,
    ).toEqual([])
  })

  it.each(optionTablesOf('src/stores'))('the pages name every option of %s', (path, opening) => {
    const names = namesIn(path, opening)
    expect(names.length).toBeGreaterThan(0)
    expect(
      names.filter((option) => !stores.includes(`\`${option}`)),
      'add each option, in backticks, to a page of docs/stores',
    ).toEqual([])
  })
})
