import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { hookgate } from '../cli/support.ts'
import { SECRET } from '../support/hmac-listener.ts'
import { FRAMEWORKS } from './own-frameworks.ts'

const root = new URL('../../', import.meta.url)
const page = (path: string) => readFileSync(new URL(path, root), 'utf8')

/** A program, and the page that shows it to the letter. */
const PAGES: readonly (readonly [page: string, example: string])[] = [
  ['README.md', 'examples/stripe.ts'],
  ['docs/specification.md', 'examples/hmac.ts'],
  ['docs/specification.md', 'examples/jwt.ts'],
  ...FRAMEWORKS.map((name) => [`docs/${name}.md`, `examples/${name}.ts`] as const),
]

interface Running {
  readonly url: string
  /** What it has printed to standard error. */
  logged(): string
}

/** Their program with the page's own `require` lines for its imports. */
const COMMONJS = ['docs/express.md', 'examples/commonjs.cjs'] as const

/** Runs an example on a free port, TypeScript as it is built, until the test ends. */
async function start(example: string, cwd: string): Promise<Running> {
  const built = example.replace(/^(.*)\.ts$/, 'dist/$1.js')
  const program = spawn(process.execPath, [fileURLToPath(new URL(built, root))], {
    cwd,
    env: { ...process.env, PORT: '0', WEBHOOK_SECRET: SECRET, STRIPE_WEBHOOK_SECRET: SECRET },
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
  return { url, logged: () => logged }
}

/** The page's own `hookgate send` after the example, and what the page says that it prints. */
function sendingIn(
  path: string,
  example: string,
): { readonly given: readonly string[]; readonly prints: string } {
  const after = page(path).slice(Math.max(0, page(path).indexOf(page(example))))
  const [, command = '', prints = ''] = /hookgate (send [^`]+)```\n\n```\n([^`]+)```/.exec(after) ?? []
  const words = command.replace('\\\n', ' ').matchAll(/'([^']*)'|(\S+)/g)
  return { given: [...words].map(([, quoted, plain = '']) => quoted ?? plain), prints }
}

describe('the quick starts', () => {
  it.each([
    ...PAGES,
    ...['stripe', 'bun', 'deno', 'next'].map((name) => ['docs/fetch.md', `examples/web/${name}.ts`] as const),
  ])('%s shows %s to the letter', (path, example) => {
    expect(page(path)).toContain(`\n${page(example)}\`\`\``)
  })

  it('docs/express.md has the lines that make examples/commonjs.cjs of examples/express.ts', () => {
    const [, requires = ''] = /```js\n(const [^`]+)```/.exec(page('docs/express.md')) ?? []
    const program = page('examples/express.ts').replace(/^(?:import .*\n)+/, requires)
    expect(page('examples/commonjs.cjs')).toBe(program)
  })

  it.each([...PAGES, COMMONJS])(
    '%s sends to the URL that %s prints, which takes it once and logs why',
    async (path, example) => {
      const cwd = mkdtempSync(join(tmpdir(), 'hookgate-'))
      onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
      await hookgate(['keys'], { cwd })
      const { url, logged } = await start(example, cwd)
      const { given, prints } = sendingIn(path, example)
      const [send = '', shown = '', ...options] = given
      expect(shown.replace(/^http:..localhost:3000/, '')).toBe(new URL(url).pathname)
      // The token's audience has the port of the page.
      const args = [send, url, ...options, ...(options.includes('--key') ? ['--public-url', shown] : [])]
      const { code, stdout } = await hookgate(args, { cwd, env: { HOOKGATE_SECRET: SECRET } })
      expect({ code, stdout }).toEqual({ code: 0, stdout: prints })
      await expect.poll(logged).toMatch(/^event_duplicate /)
      const tampering = args.map((arg) => (arg === '--duplicate' ? '--tamper' : arg))
      const tampered = await hookgate(tampering, { cwd, env: { HOOKGATE_SECRET: SECRET } })
      expect(tampered.stdout).toContain('401 Unauthorized')
      await expect.poll(logged).toMatch(/^(signature_mismatch|token_invalid) /m)
    },
  )

  it.each(['bun', 'deno', 'workers', 'next', 'sveltekit'])(
    'docs/fetch.md mounts it as examples/web/%s.ts',
    (name) => {
      const calls = readFileSync(new URL(`examples/web/${name}.ts`, root), 'utf8').match(
        /handle\(request.*\)/g,
      )
      expect(calls).toHaveLength(1)
      expect(page('docs/fetch.md')).toContain(calls?.[0]?.replace(/\)$/, ''))
    },
  )

  it.each(['next', 'sveltekit'])('examples/web/%s.ts can be built without the secret', async (name) => {
    vi.stubEnv('STRIPE_WEBHOOK_SECRET', undefined)
    onTestFinished(() => void vi.unstubAllEnvs())
    const { POST } = await import(`../../examples/web/${name}.ts`)
    const source = { request: new Request('http://localhost'), getClientAddress: () => '' }
    expect(() => POST(source)).toThrow('is the environment variable set?')
  })
})
