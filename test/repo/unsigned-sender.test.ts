import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Express } from 'express'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'

const root = new URL('../../', import.meta.url)
const PAGE = readFileSync(new URL('docs/schemes.md', root), 'utf8')
const PATH = 'a-long-random-text-that-nobody-else-has'

/** The payments of an account, as Mollie's API answers. */
const PAYMENTS = new Map([['tr_1', { id: 'tr_1', status: 'paid' }]])

describe("the program of docs/schemes.md for a sender that doesn't sign", () => {
  let post: (path: string, body: string) => Promise<number>
  const asked: string[] = []
  const log: unknown[][] = []

  beforeAll(async () => {
    const folder = mkdtempSync(fileURLToPath(new URL('dist/page-', root)))
    const program = /^```ts\n(import \{ createHash.*?)^```$/ms.exec(PAGE)?.[1] ?? ''
    writeFileSync(join(folder, 'mollie.ts'), program)
    vi.stubEnv('MOLLIE_PATH', PATH)
    vi.stubEnv('MOLLIE_API_KEY', 'test_key')
    const { app }: { readonly app: Express } = await import(pathToFileURL(join(folder, 'mollie.ts')).href)
    vi.unstubAllEnvs()
    const server = app.listen(0)
    await new Promise((resolve) => server.once('listening', resolve))
    const address = server.address()
    const origin = `http://localhost:${typeof address === 'object' ? address?.port : 0}`
    const realFetch = globalThis.fetch
    post = async (path, body) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      return (await realFetch(origin + path, { method: 'POST', headers, body })).status
    }
    return () => {
      server.close()
      rmSync(folder, { recursive: true })
    }
  })

  beforeEach(() => {
    vi.spyOn(console, 'log').mockImplementation((...said) => void log.push(said))
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    // No request may leave this machine.
    vi.stubGlobal('fetch', async (url: string) => {
      asked.push(url)
      const payment = PAYMENTS.get(decodeURIComponent(url.split('/').at(-1) ?? ''))
      return payment ? Response.json(payment) : new Response(null, { status: 404 })
    })
    return () => {
      vi.unstubAllGlobals()
      vi.restoreAllMocks()
    }
  })

  it('the program fetches the payment that a call to its path names, each time', async () => {
    expect(await post(`/webhooks/mollie/${PATH}`, 'id=tr_1')).toBe(200)
    expect(await post(`/webhooks/mollie/${PATH}`, 'id=tr_1')).toBe(200)
    expect(asked).toEqual(Array(2).fill('https://api.mollie.com/v2/payments/tr_1'))
    expect(log).toEqual(Array(2).fill(['tr_1', 'paid']))
  })

  it.each([
    ['another path', `/webhooks/mollie/${PATH.replace('a', 'b')}`],
    ['a path that only begins so', `/webhooks/mollie/${PATH}x`],
    ['the path with a query', `/webhooks/mollie/${PATH}?x=1`],
    ['the path without its end', '/webhooks/mollie/undefined'],
  ])('the program refuses %s, and asks nobody', async (_, path) => {
    const before = asked.length
    expect(await post(path, 'id=tr_1')).toBe(401)
    expect(asked.length).toBe(before)
  })

  it.each(['id=tr_2', 'id=..', 'id=../v2/refunds', 'id=tr_1&id=tr_1', 'id=', ''])(
    'the program answers a forged %s with no harm done',
    async (body) => {
      const said = log.length
      expect([200, 400]).toContain(await post(`/webhooks/mollie/${PATH}`, body))
      expect(log.length).toBe(said)
      for (const url of asked) expect(new URL(url).pathname).toMatch(/^\/v2\/payments\/tr_\w+$/)
    },
  )
})
