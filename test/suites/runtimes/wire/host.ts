/** The Node side of tests in workerd. Starts it once per test file, and answers the worker's questions. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll } from 'vitest'
import { EventStoreError, KeySetError, type Listener, type WebhookEvent } from '../../../../src/index.ts'
import { Log } from '../../../support/log.ts'
import { keySetOf, recipeOf } from '../../../support/sender.ts'
import type { RunningServer, Setup } from '../../../support/servers.ts'
import type { HandleAnswer, Named, Questions, State } from './protocol.ts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const ADAPTERS = ['hono', 'web'] as const
type Adapter = (typeof ADAPTERS)[number]
const START_TIMEOUT_MS = 120_000

/** A row in progress, which answers the worker's questions. */
interface Row extends RunningServer {
  readonly number: number
  readonly setup: Setup
  readonly handled: WebhookEvent[]
  readonly errors: unknown[]
}

const rows = new Map<string, Row>()
let count = 0
let running: Promise<{ readonly [adapter: string]: number }> | undefined

// Here and not in onWorkerd, because a running test can no longer register an afterAll.
let stop = () => {}
afterAll(() => stop())

export function onWorkerd(adapter: Adapter): (setup: Setup) => Promise<RunningServer> {
  let port: number | undefined
  // Not in the first row: on a busy machine, starting takes longer than a row may.
  beforeAll(async () => {
    running ??= startWorkerd()
    port = (await running)[adapter]
  }, START_TIMEOUT_MS)
  return async (setup) => {
    count += 1
    const row: Row = {
      number: count,
      setup,
      handled: [],
      errors: [],
      address: { port: port ?? 0, host: '127.0.0.1' },
      closings: new Log<string>(),
    }
    rows.set(adapter, row)
    return row
  }
}

type Answers = { readonly [Name in keyof Questions]: (row: Row, content: Questions[Name]) => unknown }

const ANSWERS: Answers = {
  state: (row) => stateOf(row),
  lookup: async (row, { path }) => {
    const { target } = row.setup
    return (typeof target === 'function' ? await target(path) : target)?.id
  },
  store: (row, { verb, args }) => {
    const { store } = known(row)
    const ask = store[verb]
    if (ask === undefined) throw new Error(`the store of the row has no ${verb}`)
    return Reflect.apply(ask, store, args)
  },
  find: async (row, { keyId, algorithm }) => {
    await keySetOf(known(row).auth)?.find(keyId, algorithm)
  },
  validate: (row, { value }) => known(row).payload?.['~standard'].validate(value),
  verdict: (row, { verdict, context }) => known(row).onVerdict?.(verdict, context),
  failure: (row, { error, context }) => known(row).onError?.(revived(error), context),
  fail: (row, { name, message }) => {
    row.errors.push(Object.assign(new Error(message), { name }))
  },
  handle: async (row, content): Promise<HandleAnswer> => {
    const acts: HandleAnswer['acts'][number][] = []
    const event: WebhookEvent = {
      ...content,
      commit: async () => {
        acts.push('commit')
        return 'committed'
      },
      release: async () => {
        acts.push('release')
        return true
      },
    }
    row.handled.push(event)
    return { status: (await row.setup.handle?.(event)) ?? 200, acts }
  },
}

/** The listener of a row. Those that a lookup finds differ from it only in their ID. */
function known({ setup: { listener, target } }: Row): Listener {
  if (listener) return listener
  if (typeof target === 'function') throw new Error('a row with a lookup has to name its listener')
  return target
}

function revived({ name, message, ...more }: Named): Error {
  if (name === 'EventStoreError') return new EventStoreError(message)
  return name === 'KeySetError' ? new KeySetError(message, 0) : Object.assign(new Error(message), more)
}

function stateOf(row: Row): State {
  const listener = known(row)
  // A worker cannot see the socket's address.
  const { trustedProxies: _, ...options } = row.setup.options ?? {}
  return {
    row: row.number,
    now: listener.clock.now(),
    recipe: recipeOf(listener.auth),
    settings: {
      maxBodyBytes: listener.maxBodyBytes,
      // JSON has no Infinity, which is the default of some schemes.
      ...(Number.isFinite(listener.toleranceSeconds) && { toleranceSeconds: listener.toleranceSeconds }),
      retentionSeconds: listener.retentionMs / 1000,
      leaseSeconds: listener.leaseMs / 1000,
      storeTimeoutSeconds: listener.storeTimeoutMs / 1000,
      settle: listener.settle,
    },
    hasSchema: listener.payload !== undefined,
    renews: listener.store.renew !== undefined,
    isTransactional: listener.store.accepted !== undefined,
    options,
  }
}

function ask(row: Row, question: string, json: string): unknown {
  if (!Object.hasOwn(ANSWERS, question)) throw new Error(`nothing answers ${question}`)
  return ANSWERS[question as keyof Questions](row, JSON.parse(json)) // in the form that worker.ts writes
}

/** Answers `POST /<adapter>/<question>`. If the row never answers a question, the request stays open. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, adapter = '', question = ''] = request.url?.split('/') ?? []
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const row = rows.get(adapter)
  const reply = await Promise.resolve()
    .then(() => row && ask(row, question, Buffer.concat(chunks).toString()))
    .then(
      (value) => ({ value }),
      ({ name, message, code, retryAfterSeconds }) => ({ error: { name, message, code, retryAfterSeconds } }),
    )
  response.end(JSON.stringify(reply))
}

/** One process with a socket per adapter. It reports the ports on a separate pipe. */
async function startWorkerd(): Promise<{ readonly [adapter: string]: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-'))
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await bundle(join(folder, 'worker.js'))
  writeFileSync(join(folder, 'config.capnp'), config(typeof address === 'object' ? (address?.port ?? 0) : 0))
  const workerd = spawn(here('../node_modules/.bin/workerd'), ['serve', 'config.capnp', '--control-fd=3'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  })
  stop = () => {
    workerd.kill()
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return portsOf(workerd)
}

function portsOf(workerd: ChildProcess): Promise<{ readonly [adapter: string]: number }> {
  return new Promise((resolve, reject) => {
    const ports: { [adapter: string]: number } = {}
    let said = ''
    workerd.once('exit', (code) => reject(new Error(`workerd ended with ${code}`)))
    const control = workerd.stdio[3] as Readable // the pipe that `stdio` asked for
    control.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      for (const [, socket = '', port] of said.matchAll(/"socket":"(\w+)","port":(\d+)/g))
        ports[socket] = Number(port)
      if (Object.keys(ports).length === ADAPTERS.length) resolve(ports)
    })
  })
}

async function bundle(outfile: string): Promise<void> {
  const { build } = createRequire(here('../package.json'))('esbuild')
  await build({
    entryPoints: [here('worker.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker', 'browser'],
    alias: { '#crypto': here('../../../../src/crypto/web.ts') },
  })
}

function config(port: number): string {
  const worker = (adapter: Adapter) => `(name = "${adapter}", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = "2026-03-01",
      bindings = [(name = "ADAPTER", text = "${adapter}"), (name = "ROW", text = "http://127.0.0.1:${port}/${adapter}")],
      globalOutbound = "loopback",
    )),`
  const socket = (adapter: Adapter) =>
    `(name = "${adapter}", address = "127.0.0.1:0", http = (), service = "${adapter}"),`
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [${ADAPTERS.map(worker).join('')} (name = "loopback", network = (allow = ["local"]))],
  sockets = [${ADAPTERS.map(socket).join('')}],
);
`
}
