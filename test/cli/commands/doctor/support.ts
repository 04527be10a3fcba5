import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type RequestHandler } from 'express'
import { onTestFinished } from 'vitest'
import { verifyWebhook } from '../../../../adapters/express.ts'
import { type Authenticator, defineListener, type EventStore, hmac } from '../../../../src/index.ts'
import { memoryStore } from '../../../../src/stores/memory.ts'
import { hookgate, SECRET, type Surroundings } from '../../support.ts'

export interface Found {
  readonly id: string
  readonly status: 'ok' | 'warn' | 'fail' | 'skip'
  readonly seen: string
  readonly fix?: string
}

export interface Diagnosis {
  readonly code: number | null
  readonly findings: readonly Found[]
  /** Everything that was printed. */
  readonly output: string
  /**
   * `fail url: nothing accepts POST at this path (404) → correct the path, …`, without the checks that passed or were
   * skipped.
   */
  readonly complaints: readonly string[]
}

/** `hookgate doctor --json`. */
export async function diagnose(args: readonly string[], surroundings: Surroundings = {}): Promise<Diagnosis> {
  const { code, stdout, stderr } = await hookgate(['doctor', '--json', ...args], surroundings)
  const { findings }: { findings: readonly Found[] } = stdout === '' ? { findings: [] } : JSON.parse(stdout)
  const wrong = findings.filter(({ status }) => status === 'warn' || status === 'fail')
  const complaints = wrong.map(({ status, id, seen, fix }) => `${status} ${id}: ${seen} → ${fix}`)
  return { code, findings, output: stdout + stderr, complaints }
}

export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on a port
}

export interface Endpoint {
  readonly url: string
  /** The number of claims. */
  readonly claims: () => number
  /** The number of the handler's runs. */
  readonly runs: () => number
}

/**
 * A receiver with the tests' secret.
 * @param skew The seconds that its clock is ahead.
 * @param inFront What a proxy does before it.
 */
export async function endpoint(
  options: {
    readonly skew?: number
    readonly inFront?: RequestHandler
    readonly toleranceSeconds?: number
    readonly auth?: Authenticator
  } = {},
): Promise<Endpoint> {
  let [claims, runs] = [0, 0]
  const inner = memoryStore()
  const store: EventStore = {
    claim(...given) {
      claims += 1
      return inner.claim(...given)
    },
    commit: (...given) => inner.commit(...given),
    release: (...given) => inner.release(...given),
  }
  const clock = { now: () => Date.now() + (options.skew ?? 0) * 1000 }
  const { toleranceSeconds, auth = hmac({ secrets: { id: 'main', secret: SECRET } }) } = options
  const listener = defineListener({ id: 'orders', auth, store, clock, toleranceSeconds })
  const app = express()
  if (options.inFront) app.use(options.inFront)
  app.post('/hooks/orders', verifyWebhook(listener), (_req, res) => {
    runs += 1
    res.send('done')
  })
  return { url: `${await serve(app)}/hooks/orders`, claims: () => claims, runs: () => runs }
}
