import { fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import express, { type RequestHandler } from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { verifyWebhook, webhookOf } from '../../adapters/express.ts'
import type { EventStore, WebhookEvent } from '../../src/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { SECRET } from '../support/hmac-listener.ts'
import { Log } from '../support/log.ts'
import { monotonicTime } from '../support/monotonic-time.ts'
import { exchange, RawConnection, type RawRequest, toBytes } from '../support/raw-http.ts'
import { type Endpoint, hmacEndpoint } from '../support/sender.ts'
import { serve } from '../support/servers.ts'

const DAY_SECONDS = 86_400
const EVENT_ID = '7f1d3c5e-0a4b-4c8d-9e2f-112233445566'

/** Returns the status of the answer. Undefined: no answer. */
type Handle = (run: number, event: WebhookEvent) => number | undefined | Promise<number | undefined>

/** An endpoint whose handler counts its runs, and how many ran at once. */
async function running(endpoint: Endpoint, handle: Handle = () => 200, inFront: RequestHandler[] = []) {
  const runs = new Log<string>()
  const atOnce = { now: 0, most: 0 }
  const app = express().set('env', 'test') // logs no errors
  app.post('/hook', ...inFront, verifyWebhook(endpoint.listener), async (request, response) => {
    runs.add(webhookOf(request).id)
    atOnce.now += 1
    atOnce.most = Math.max(atOnce.most, atOnce.now)
    try {
      const status = await handle(runs.entries.length, webhookOf(request))
      if (status !== undefined && !response.headersSent) response.sendStatus(status)
    } finally {
      atOnce.now -= 1
    }
  })
  const { address, closings } = await serve(app)
  const send = async (request: RawRequest) => (await exchange(address, toBytes(request)))?.status
  return { address, closings, send, runs, atOnce }
}

/** A handler whose first run waits until it is opened. */
function held() {
  const opened = new Log<string>()
  const handle: Handle = async (run) => {
    if (run === 1) await opened.has('opened')
    return 200
  }
  return { handle, open: () => opened.add('opened') }
}

/** Resolves when the store has had this many calls. Some come after the answer. */
const asked = ({ calls }: Endpoint, times: number) => calls.reaches(times)

/** Waits for this many renewals: the lease's timer fires once in a second. */
const renewed = ({ calls }: Endpoint, times: number) =>
  expect.poll(() => calls.entries.filter((call) => call.startsWith('renew '))).toHaveLength(times)

const LEASE_SECONDS = 60

const codes = ({ failures }: Endpoint) => failures.entries.map((error) => Reflect.get(Object(error), 'code'))

/** The ways in which a handler runs again for one event. */
const CASES: { readonly [name: string]: () => Promise<void> } = {
  'the process was paused': async () => {
    const time = monotonicTime()
    const endpoint = hmacEndpoint({ leaseSeconds: LEASE_SECONDS })
    const { handle, open } = held()
    const blocking: Handle = (run, event) => {
      if (run === 1) {
        time.pass(LEASE_SECONDS + 1) // no timer fires meanwhile
        endpoint.clock.advanceSeconds(LEASE_SECONDS + 1)
      }
      return handle(run, event)
    }
    const { send, runs, atOnce } = await running(endpoint, blocking)
    const request = await endpoint.request()
    const first = send(request)
    await runs.reaches(1)
    expect(await send(request)).toBe(200)
    await endpoint.failures.reaches(1)
    open()
    expect(await first).toBe(200)
    expect([runs.entries.length, atOnce.most, codes(endpoint)[0]]).toEqual([2, 2, 'ERR_LEASE_LOST'])
  },

  'the store ended the lease early': async () => {
    const time = monotonicTime()
    const endpoint = hmacEndpoint({ leaseSeconds: LEASE_SECONDS })
    const { handle, open } = held()
    const { send, runs, atOnce } = await running(endpoint, (run, event) =>
      run === 2 ? 500 : handle(run, event),
    )
    const request = await endpoint.request()
    const first = send(request)
    await runs.reaches(1)
    expect(await send(request)).toBe(503)
    endpoint.clock.advanceSeconds(LEASE_SECONDS + 1)
    expect(await send(request)).toBe(500) // it is released, so that the commit of the first one still counts
    time.pass(LEASE_SECONDS / 2) // the renewal
    await endpoint.failures.reaches(1)
    open()
    expect(await first).toBe(200)
    await endpoint.calls.has(`commit ${runs.entries[0]}`)
    expect([runs.entries.length, atOnce.most, codes(endpoint)]).toEqual([2, 2, ['ERR_LEASE_LOST']])
  },

  'the store was unreachable': async () => {
    const time = monotonicTime()
    const endpoint = hmacEndpoint({ leaseSeconds: LEASE_SECONDS }, (clock) => {
      const { claim, commit, release } = memoryStore({ clock })
      return { claim, commit, release, renew: () => Promise.reject(new Error('ECONNREFUSED')) }
    })
    const { handle, open } = held()
    const { send, runs, atOnce } = await running(endpoint, handle)
    const request = await endpoint.request()
    const first = send(request)
    await runs.reaches(1)
    time.pass(LEASE_SECONDS / 2)
    await renewed(endpoint, 1)
    time.pass(LEASE_SECONDS / 2 + 1)
    endpoint.clock.advanceSeconds(LEASE_SECONDS + 1)
    await endpoint.failures.reaches(1)
    expect(await send(request)).toBe(200)
    open()
    expect(await first).toBe(200)
    expect([runs.entries.length, atOnce.most, codes(endpoint)[0]]).toEqual([2, 2, 'ERR_LEASE_LOST'])
  },

  'the handler ran longer than `maxRunSeconds`': async () => {
    const time = monotonicTime()
    const endpoint = hmacEndpoint({ leaseSeconds: LEASE_SECONDS, maxRunSeconds: LEASE_SECONDS })
    const { address, send, runs, atOnce } = await running(endpoint, (run) => (run === 1 ? undefined : 200))
    const request = await endpoint.request()
    const silent = new RawConnection(address)
    await silent.write(toBytes(request))
    await runs.reaches(1)
    time.pass(LEASE_SECONDS * 0.6)
    await renewed(endpoint, 1)
    time.pass(LEASE_SECONDS * 0.6)
    await endpoint.failures.reaches(1)
    endpoint.clock.advanceSeconds(LEASE_SECONDS + 1)
    expect([await send(request), runs.entries.length, atOnce.most]).toEqual([200, 2, 1])
    expect(codes(endpoint)).toEqual(['ERR_RUN_TOO_LONG'])
    silent.abort()
  },

  'the store cannot renew a lease': async () => {
    const endpoint = hmacEndpoint({}, (clock) => {
      const { claim, commit, release } = memoryStore({ clock })
      return { claim, commit, release }
    })
    const { handle, open } = held()
    const { send, runs, atOnce } = await running(endpoint, handle)
    const request = await endpoint.request()
    const first = send(request)
    await runs.reaches(1)
    expect(await send(request)).toBe(503)
    endpoint.clock.advanceSeconds(61)
    expect(await send(request)).toBe(200)
    await asked(endpoint, 4)
    open()
    expect(await first).toBe(200)
    expect([runs.entries.length, atOnce.most]).toEqual([2, 2])
  },

  'the sender hung up': async () => {
    const endpoint = hmacEndpoint()
    const opened = new Log<string>()
    const open = () => opened.add('opened')
    const handle: Handle = (run) => (run === 1 ? opened.has('opened').then(() => 500) : 200)
    const { address, closings, send, runs, atOnce } = await running(endpoint, handle)
    const request = await endpoint.request()
    const leaving = new RawConnection(address)
    await leaving.write(toBytes(request))
    await runs.reaches(1)
    leaving.abort()
    await closings.reaches(1)
    open()
    expect(await send(request)).toBe(503)
    endpoint.clock.advanceSeconds(61)
    expect(await send(request)).toBe(200)
    expect([runs.entries.length, atOnce.most]).toEqual([2, 1])
  },

  'the answer was 408, 503 or 504': async () => {
    for (const status of [408, 503, 504]) {
      const endpoint = hmacEndpoint()
      const { send, runs } = await running(endpoint, (run) => (run === 1 ? status : 200))
      const request = await endpoint.request()
      expect([await send(request), await send(request)]).toEqual([status, 503])
      endpoint.clock.advanceSeconds(61)
      expect([await send(request), runs.entries.length]).toEqual([200, 2])
    }
  },

  'a timeout answered another status': async () => {
    const endpoint = hmacEndpoint()
    const { handle, open } = held()
    const impatient: RequestHandler = (_request, response, next) => {
      const timer = setTimeout(() => response.sendStatus(500), 20)
      response.on('finish', () => clearTimeout(timer))
      next()
    }
    const { send, runs, atOnce } = await running(endpoint, handle, [impatient])
    const request = await endpoint.request()
    expect(await send(request)).toBe(500)
    await asked(endpoint, 2)
    expect(await send(request)).toBe(200)
    open()
    expect([runs.entries.length, atOnce.most]).toEqual([2, 2])
  },

  'the handler failed': async () => {
    const failures: Handle[] = [
      () => {
        throw new Error('no database')
      },
      () => 500,
      () => 429,
      () => 302,
    ]
    for (const fail of failures) {
      const endpoint = hmacEndpoint()
      const { send, runs } = await running(endpoint, (run, event) => (run === 1 ? fail(run, event) : 200))
      const request = await endpoint.request()
      await send(request)
      await asked(endpoint, 2)
      expect([await send(request), runs.entries.length]).toEqual([200, 2])
    }
  },

  'the process died before the commit': async () => {
    const endpoint = hmacEndpoint()
    const effects = new Log<string>()
    const request = await endpoint.request()
    const { port, gone } = await dyingProcess(endpoint, effects)
    expect(await exchange({ port, host: '127.0.0.1' }, toBytes(request))).toBeUndefined()
    await gone
    const { send } = await running(endpoint, () => {
      effects.add('effect')
      return 200
    })
    expect([await send(request), effects.entries.length]).toEqual([503, 1])
    endpoint.clock.advanceSeconds(61)
    expect([await send(request), effects.entries.length]).toEqual([200, 2])
  },

  'the commit failed': async () => {
    const endpoint = hmacEndpoint({}, (clock) => {
      const store = memoryStore({ clock })
      const commits: (() => Promise<never>)[] = [() => Promise.reject(new Error('the store is down'))]
      return {
        claim: store.claim.bind(store),
        commit: (...given) => commits.pop()?.() ?? store.commit(...given),
        release: store.release.bind(store),
      }
    })
    const { send, runs } = await running(endpoint)
    const request = await endpoint.request()
    expect(await send(request)).toBe(200)
    await endpoint.failures.reaches(1)
    expect(await send(request)).toBe(503)
    endpoint.clock.advanceSeconds(61)
    expect([await send(request), runs.entries.length]).toEqual([200, 2])
  },

  'the handler settles events itself': async () => {
    const endpoint = hmacEndpoint({ settle: 'manual' })
    const { send, runs } = await running(endpoint, async (run, event) => {
      if (run === 2) await event.release()
      return 200
    })
    const request = await endpoint.request()
    expect([await send(request), await send(request)]).toEqual([200, 503])
    endpoint.clock.advanceSeconds(61)
    expect([await send(request), await send(request)]).toEqual([200, 200])
    expect(runs.entries).toHaveLength(3)
  },

  'the retention had ended': async () => {
    const endpoint = hmacEndpoint()
    const { send, runs } = await running(endpoint)
    const again = () => endpoint.request({ eventId: EVENT_ID })
    expect(await send(await again())).toBe(200)
    await asked(endpoint, 2)
    endpoint.clock.advanceSeconds(7 * DAY_SECONDS)
    expect(await send(await again())).toBe(409)
    endpoint.clock.advanceSeconds(1)
    expect([await send(await again()), runs.entries.length]).toEqual([200, 2])
  },

  'the store forgot': async () => {
    const before = await running(hmacEndpoint())
    const after = await running(hmacEndpoint())
    const request = await hmacEndpoint().request()
    expect([await before.send(request), await after.send(request)]).toEqual([200, 200])
    expect([...before.runs.entries, ...after.runs.entries]).toHaveLength(2)
  },

  'another listener received it': async () => {
    const stores: EventStore[] = []
    const shared = (clock: Endpoint['clock']) => (stores[0] ??= memoryStore({ clock }))
    const first = await running(hmacEndpoint({ id: 'L1' }, shared))
    const second = await running(hmacEndpoint({ id: 'L2' }, shared))
    const request = await hmacEndpoint().request()
    expect([await first.send(request), await second.send(request)]).toEqual([200, 200])
  },

  'the sender gave it a new ID': async () => {
    const endpoint = hmacEndpoint()
    const { send, runs } = await running(endpoint)
    const request = () => endpoint.request({ body: '{"order":7}' })
    expect([await send(await request()), await send(await request())]).toEqual([200, 200])
    expect(runs.entries).toHaveLength(2)
  },
}

/** Accepts one delivery, reports its effect, and is killed before it answers. Uses the store of this process. */
async function dyingProcess({ listener, clock }: Endpoint, effects: Log<string>) {
  const program = fileURLToPath(new URL('run-twice-process.mjs', import.meta.url))
  const env = { ...process.env, SECRET, NOW: `${clock.now()}` }
  const child = fork(program, { env, execArgv: [] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const gone = new Promise((resolve) => child.once('exit', resolve))
  const port = await new Promise<number>((resolve) => {
    child.on('message', async ({ port: found, id, verb, args }: ChildMessage) => {
      if (found !== undefined) return resolve(found)
      if (verb === 'effect') effects.add('effect')
      const answer =
        verb === 'effect' ? null : await Reflect.apply(listener.store[verb], listener.store, args)
      child.send({ id, answer })
    })
  })
  return { port, gone }
}

interface ChildMessage {
  readonly port?: number
  readonly id: number
  readonly verb: 'claim' | 'commit' | 'release' | 'effect'
  readonly args: readonly unknown[]
}

/** The first column of the table in docs/operating.md. */
function documented(): string[] {
  const page = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8')
  const [, section = ''] = page.split('## When a handler can run twice')
  const [table = ''] = section.split('\n## ')
  return [...table.matchAll(/^\| ([^|]+) \|/gm)].map(([, name = '']) => name).slice(1)
}

describe('a handler runs a second time for one event when', () => {
  for (const [name, prove] of Object.entries(CASES)) it(name, prove)
})

it('docs/operating.md lists these cases, and no others', () => {
  expect(documented()).toEqual(Object.keys(CASES))
})
