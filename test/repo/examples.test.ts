import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { signHmac } from '../../src/testing/index.ts'
import { hookgate } from '../cli/support.ts'
import { SECRET } from '../support/hmac-listener.ts'
import { FRAMEWORKS } from './own-frameworks.ts'

const root = new URL('../../', import.meta.url)
const page = (path: string) => readFileSync(new URL(path, root), 'utf8')

/** Runs a built example on a free port while `use` runs. */
async function runExample(name: string, use: (port: number) => Promise<void>): Promise<void> {
  const path = fileURLToPath(new URL(`dist/examples/${name}.js`, root))
  const example = spawn(process.execPath, [path], {
    env: { ...process.env, PORT: '0', WEBHOOK_SECRET: SECRET, STRIPE_WEBHOOK_SECRET: SECRET },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const port = await new Promise<number>((resolve, reject) => {
      let printed = ''
      example.stdout.on('data', (chunk: Buffer) => {
        printed += chunk.toString()
        const found = /port: (\d+)|:(\d+)[/\s]/.exec(printed)
        if (found) resolve(Number(found[1] ?? found[2]))
      })
      example.once('exit', () => reject(new Error(`the example ended: ${printed}`)))
    })
    await use(port)
  } finally {
    example.kill()
  }
}

describe('the quick starts', () => {
  it.each<readonly [page: string, example: string]>([
    ['README.md', 'stripe'],
    ['docs/fetch.md', 'web/orders'],
    ...FRAMEWORKS.map((name) => [`docs/${name}.md`, name] as const),
  ])('%s shows examples/%s.ts to the letter', (path, name) => {
    expect(page(path)).toContain(page(`examples/${name}.ts`).trim())
  })

  it('the README has at most 150 lines', () => {
    expect(page('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(150)
  })

  it('the README sends a delivery that examples/stripe.ts accepts once', async () => {
    await runExample('stripe', async (port) => {
      const url = `http://127.0.0.1:${port}/webhooks/stripe`
      const body = '{"id":"evt_1","type":"invoice.paid"}'
      const given = ['send', url, '--scheme', 'stripe', '--data', body, '--duplicate']
      const { code, stdout } = await hookgate(given, { env: { HOOKGATE_SECRET: SECRET } })
      expect({ code, stdout }).toEqual({ code: 0, stdout: '200 OK\ndone\n200 OK\n' })
      expect(page('README.md')).toContain('```\n200 OK\ndone\n200 OK\n```')
    })
  })

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
    vi.stubEnv('WEBHOOK_SECRET', undefined)
    onTestFinished(() => void vi.unstubAllEnvs())
    const { POST } = await import(`../../examples/web/${name}.ts`)
    const source = { request: new Request('http://localhost'), getClientAddress: () => '' }
    expect(() => POST(source)).toThrow('is empty or blank; is the environment variable set?')
  })

  it.each(FRAMEWORKS.filter((name) => name !== 'hono'))(
    'examples/%s.ts accepts a signed webhook once',
    async (name) => {
      await runExample(name, async (port) => {
        const request = await signHmac({ secret: SECRET, body: '{"hello":"world"}' })
        const send = () => fetch(`http://127.0.0.1:${port}/webhooks/orders`, request)
        expect((await send()).status).toBe(200)
        expect((await send()).status).toBe(409)
      })
    },
  )

  it('examples/hono.ts starts, and refuses a webhook without a token', async () => {
    await runExample('hono', async (port) => {
      const request = await signHmac({ secret: SECRET, body: '{"order":"1","total":2}' })
      const response = await fetch(`http://127.0.0.1:${port}/webhooks/orders`, request)
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toBe('Bearer')
    })
  })
})
