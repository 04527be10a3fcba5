import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { signHmac } from '../../src/testing/index.ts'
import { SECRET } from '../support/hmac-listener.ts'

const root = new URL('../../', import.meta.url)
const readme = readFileSync(new URL('README.md', root), 'utf8')

/** Runs a built example on a port of the system's choice, until `use` is done with it. */
async function runExample(name: string, use: (port: number) => Promise<void>): Promise<void> {
  const path = fileURLToPath(new URL(`dist/examples/${name}.js`, root))
  const example = spawn(process.execPath, [path], {
    env: { ...process.env, PORT: '0', WEBHOOK_SECRET: SECRET },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const port = await new Promise<number>((resolve, reject) => {
      let printed = ''
      example.stdout.on('data', (chunk: Buffer) => {
        printed += chunk.toString()
        const found = /port: (\d+)|:(\d+)\s/.exec(printed)
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
  it.each(['express', 'fastify', 'hono', 'web/orders'])(
    'the README shows examples/%s.ts to the letter',
    (name) => {
      expect(readme).toContain(readFileSync(new URL(`examples/${name}.ts`, root), 'utf8').trim())
    },
  )

  it.each(['bun', 'deno', 'workers', 'next', 'sveltekit'])(
    'the README mounts it as examples/web/%s.ts',
    (name) => {
      const calls = readFileSync(new URL(`examples/web/${name}.ts`, root), 'utf8').match(
        /handle\(request.*\)/g,
      )
      expect(calls).toHaveLength(1)
      expect(readme).toContain(calls?.[0]?.replace(/\)$/, ''))
    },
  )

  it.each(['next', 'sveltekit'])(
    'examples/web/%s.ts can be built where the secret is not known',
    async (name) => {
      vi.stubEnv('WEBHOOK_SECRET', undefined)
      onTestFinished(() => void vi.unstubAllEnvs())
      const { POST } = await import(`../../examples/web/${name}.ts`)
      const source = { request: new Request('http://localhost'), getClientAddress: () => '' }
      expect(() => POST(source)).toThrow('is empty; is the environment variable set?')
    },
  )

  it.each(['express', 'fastify'])('examples/%s.ts accepts a signed webhook once', async (name) => {
    await runExample(name, async (port) => {
      const request = await signHmac({ secret: SECRET, body: '{"hello":"world"}' })
      const send = () => fetch(`http://127.0.0.1:${port}/webhooks/orders`, request)
      expect((await send()).status).toBe(200)
      expect((await send()).status).toBe(409)
    })
  })

  it('examples/hono.ts starts, and refuses a webhook without a token', async () => {
    await runExample('hono', async (port) => {
      const request = await signHmac({ secret: SECRET, body: '{"order":"1","total":2}' })
      const response = await fetch(`http://127.0.0.1:${port}/webhooks/orders`, request)
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toBe('Bearer')
    })
  })
})
