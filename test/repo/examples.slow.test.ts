import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { hookgate } from '../cli/support.ts'
import { freePort } from '../support/free-port.ts'
import { SECRET } from '../support/hmac-listener.ts'
import { FRAMEWORKS } from './own-frameworks.ts'

const root = new URL('../../', import.meta.url)
const page = (path: string) => readFileSync(new URL(path, root), 'utf8')

/** A program, and the page that shows it to the letter. */
const PAGES: readonly (readonly [page: string, example: string])[] = [
  ['docs/specification.md', 'examples/hmac.ts'],
  ['docs/specification.md', 'examples/jwt.ts'],
  ...FRAMEWORKS.map((name) => [`docs/frameworks/${name}.md`, `examples/${name}.ts`] as const),
]

interface Running {
  readonly url: string
  /** What it has printed to standard output. */
  handled(): string
  /** What it has printed to standard error. */
  logged(): string
}

/** Programs whose port is 3000, as their pages say. */
const ON_PORT_3000: readonly (readonly [page: string, program: string])[] = [
  ['README.md', 'examples/app.mjs'],
  ['docs/quickstart.md', 'examples/app.mjs'],
  ['docs/quickstart.md', 'examples/quickstart/fastify.mjs'],
  ['docs/quickstart.md', 'examples/quickstart/hono.mjs'],
  ['docs/quickstart.md', 'examples/quickstart/route.mjs'],
  ['docs/quickstart.md', 'examples/quickstart/github.mjs'],
]

/** Their program with the page's own `require` lines for its imports. */
const COMMONJS = ['docs/frameworks/express.md', 'examples/commonjs.cjs'] as const

/** Saves a program under the name of its page, with a free port for 3000. Returns its path. */
async function saved(program: string): Promise<string> {
  // Inside node_modules, where the package resolves by its name.
  const folder = mkdtempSync(fileURLToPath(new URL('node_modules/.example-', root)))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'app.mjs')
  writeFileSync(path, page(program).replaceAll('3000', `${await freePort()}`))
  return path
}

/** The path of an example: TypeScript as it is built. */
const builtPath = (example: string) =>
  fileURLToPath(new URL(example.replace(/^(.*)\.ts$/, 'dist/$1.js'), root))

/** Runs a program until the test ends. */
async function start(path: string, cwd: string): Promise<Running> {
  const program = spawn(process.execPath, [path], {
    cwd,
    env: {
      ...process.env,
      PORT: '0',
      WEBHOOK_SECRET: SECRET,
      STRIPE_WEBHOOK_SECRET: SECRET,
      GITHUB_WEBHOOK_SECRET: SECRET,
    },
  })
  onTestFinished(() => void program.kill())
  let [printed, logged] = ['', '']
  program.stderr.on('data', (chunk: Buffer) => {
    logged += chunk
  })
  const url = await new Promise<string>((resolve, reject) => {
    program.stdout.on('data', (chunk: Buffer) => {
      printed += chunk
      const [found] = /^http:\S+(?=\n)/m.exec(printed) ?? []
      if (found) resolve(found)
    })
    program.once('close', () => reject(new Error(`the example ended: ${printed}${logged}`)))
  })
  return { url, handled: () => printed, logged: () => logged }
}

/** Starts a program, sends what its page sends, and the same with another byte. */
async function takesItOnce(path: string, example: string, program: string, cwd: string): Promise<void> {
  const { url, handled, logged } = await start(program, cwd)
  const before = handled()
  const { given, prints } = sendingIn(path, example)
  const [send = '', shown = '', ...options] = given
  expect(shown.replace(/^http:..localhost:3000/, '')).toBe(new URL(url).pathname)
  // The token's audience has the port of the page.
  const args = [send, url, ...options, ...(options.includes('--key') ? ['--public-url', shown] : [])]
  const { code, stdout } = await hookgate(args, { cwd, env: { HOOKGATE_SECRET: SECRET } })
  expect({ code, stdout }).toEqual({ code: 0, stdout: prints })
  expect(handled().slice(before.length)).toMatch(/^\S[^\n]*\n$/) // its handler ran once
  const tampering = args.map((arg) => (arg === '--duplicate' ? '--tamper' : arg))
  const tampered = await hookgate(tampering, { cwd, env: { HOOKGATE_SECRET: SECRET } })
  expect(tampered.stdout).toContain('401 Unauthorized')
  await expect.poll(logged).toMatch(/\b(signature_mismatch|token_invalid)\b/)
}

/** The page's own `hookgate send` after the example, and what the page says that it prints. */
function sendingIn(
  path: string,
  example: string,
): { readonly given: readonly string[]; readonly prints: string } {
  const after = page(path).slice(Math.max(0, page(path).indexOf(page(example))))
  const [, command = '', prints = ''] = /hookgate (send [^`]+)```\n\n```\n([^`]+)```/.exec(after) ?? []
  const words = command.replaceAll('\\\n', ' ').matchAll(/'([^']*)'|(\S+)/g)
  return { given: [...words].map(([, quoted, plain = '']) => quoted ?? plain), prints }
}

describe('the quick starts', () => {
  it.each([
    ...PAGES,
    ...ON_PORT_3000,
    ['docs/quickstart.md', 'examples/quickstart/next.mjs'] as const,
    ...['stripe', 'bun', 'deno'].map(
      (name) => ['docs/frameworks/bun-deno.md', `examples/web/${name}.ts`] as const,
    ),
    ['docs/frameworks/nextjs.md', 'examples/web/next.ts'] as const,
    ['docs/frameworks/nextjs.md', 'examples/web/next-pages.ts'] as const,
    ['docs/frameworks/sveltekit-nuxt-astro.md', 'examples/web/sveltekit.ts'] as const,
    ['docs/frameworks/workers.md', 'examples/web/workers.ts'] as const,
    ...['vercel', 'netlify', 'supabase', 'firebase'].map(
      (name) => [`docs/frameworks/${name}.md`, `examples/web/${name}.ts`] as const,
    ),
  ])('%s shows %s to the letter', (path, example) => {
    expect(page(path)).toContain(`\n${page(example)}\`\`\``)
  })

  it('docs/frameworks/express.md has the lines that make examples/commonjs.cjs of examples/express.ts', () => {
    const [, requires = ''] = /```js\n(const [^`]+)```/.exec(page('docs/frameworks/express.md')) ?? []
    const program = page('examples/express.ts').replace(/^(?:import .*\n)+/, requires)
    expect(page('examples/commonjs.cjs')).toBe(program)
  })

  it.each([...PAGES, COMMONJS])(
    '%s sends to the URL that %s prints, which takes it once and logs why it refuses',
    async (path, example) => {
      const cwd = mkdtempSync(join(tmpdir(), 'hookgate-'))
      onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
      await hookgate(['keys'], { cwd })
      await takesItOnce(path, example, builtPath(example), cwd)
    },
  )

  it.each(ON_PORT_3000)(
    '%s sends to the URL that %s prints, which takes it once and logs why it refuses, on port 3000',
    async (path, program) => {
      const cwd = mkdtempSync(join(tmpdir(), 'hookgate-'))
      onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
      await takesItOnce(path, program, await saved(program), cwd)
    },
  )

  it.each(['next', 'sveltekit'])('examples/web/%s.ts can be built without the secret', async (name) => {
    vi.stubEnv('STRIPE_WEBHOOK_SECRET', undefined)
    onTestFinished(() => void vi.unstubAllEnvs())
    const { POST } = await import(`../../examples/web/${name}.ts`)
    const source = { request: new Request('http://localhost'), getClientAddress: () => '' }
    expect(() => POST(source)).toThrow('set the environment variable')
  })
})
