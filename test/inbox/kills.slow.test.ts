import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inbox } from '../../src/inbox/index.ts'
import { signHmac } from '../../src/testing/index.ts'
import { SECRET } from '../support/hmac-listener.ts'
import { KILL_TIMES, killsOf } from '../support/kills.ts'
import { onPostgres, PostgresServer, WHY_NO_POSTGRES } from '../support/postgres-server.ts'

// `npm run test:kills` kills more often.
const LANES = 4
const LEASE_MS = 400
const PROGRAM = fileURLToPath(new URL('./kill-process.mjs', import.meta.url))

const PUT = ['claim sent', 'claim answered', 'put sent', 'put answered']
const RUN = [
  'answered',
  'take answered',
  'handler started',
  'effect sent',
  'effect answered',
  'done sent',
  'done answered',
]
const STEPS = {
  plain: [...PUT, ...RUN],
  transactions: [
    ...PUT,
    'put commit sent',
    'put commit answered',
    ...RUN,
    'run commit sent',
    'run commit answered',
  ],
}

/** A running endpoint with its worker, which is started again when it has died. */
class Endpoint {
  readonly #config: object
  #child: ChildProcess | undefined
  #port = 0
  /** How often it was killed. */
  deaths = 0
  onStep: (step: string) => void = () => {}
  #onArmed = () => {}

  constructor(config: object) {
    this.#config = config
  }

  async start(): Promise<void> {
    const child = fork(PROGRAM, [JSON.stringify(this.#config)], { execArgv: [] })
    this.#child = child
    child.once('exit', () => {
      this.deaths += 1
    })
    this.#port = await new Promise((resolve, reject) => {
      child.on(
        'message',
        (message: { readonly port?: number; readonly step?: string; readonly armed?: true }) => {
          if (message.port !== undefined) resolve(message.port)
          if (message.armed) this.#onArmed()
          if (message.step !== undefined) this.onStep(message.step)
        },
      )
      child.once('exit', () => reject(new Error('the process ended before it listened')))
    })
  }

  get isAlive(): boolean {
    return this.#child?.exitCode === null && this.#child.signalCode === null
  }

  async arm(how: object): Promise<void> {
    if (!this.isAlive) await this.start()
    await new Promise<void>((resolve) => {
      this.#onArmed = resolve
      this.#child?.send(how)
    })
  }

  /** The status of the answer. Undefined if there is none. */
  async post(request: { readonly headers: Record<string, string>; readonly body: string }) {
    if (!this.isAlive) await this.start()
    const signal = AbortSignal.timeout(10_000)
    const url = `http://127.0.0.1:${this.#port}/`
    return fetch(url, { method: 'POST', ...request, signal }).then(
      ({ status }) => status,
      () => undefined,
    )
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    const child = this.#child
    if (!child || !this.isAlive) return null
    const ended = once(child, 'exit')
    child.kill(signal)
    const [code] = await ended
    return code
  }
}

interface Kill {
  readonly dieAt: string
  readonly dieLater: boolean
  readonly victim: 'process' | 'Postgres'
  /** Of Postgres: how it ends. */
  readonly how: 'killed' | 'stopped at once'
}

interface Sent {
  readonly id: string
  /** Whether the step was reached, and so the victim killed. */
  readonly isKilled: boolean
  /** Whether the sender got a 2xx, or heard that the event was accepted before. */
  readonly isAccepted: boolean
}

describe.skipIf(WHY_NO_POSTGRES).each(['plain', 'transactions'] as const)(
  onPostgres('an inbox behind a real listener, with puts and ends %s'),
  (kind) => {
    let server: PostgresServer
    let pool: pg.Pool

    beforeAll(async () => {
      server = await PostgresServer.start()
      pool = new pg.Pool({ ...server.address, max: 10 })
      pool.on('error', () => {})
      await pool.query(
        'CREATE TABLE received (event_id text); CREATE TABLE effects (event_id text, attempt int, at timestamptz)',
      )
    })

    afterAll(async () => {
      await pool?.end()
      await server?.remove()
    })

    const isTransactions = kind === 'transactions'
    const configOf = (table: string) => ({
      ...{ connection: server.address, table, secret: SECRET, leaseMs: LEASE_MS },
      transactions: isTransactions,
    })

    /** Sends one event, as a sender that tries until it hears a 2xx or a 409. */
    async function send(endpoint: Endpoint, kill: Kill): Promise<Sent> {
      await endpoint.arm(kill)
      const { deaths } = endpoint
      let isDue = kill.victim === 'Postgres'
      let restarting: Promise<void> | undefined
      endpoint.onStep = (step) => {
        if (!isDue || step !== kill.dieAt) return
        isDue = false
        restarting = (kill.how === 'killed' ? server.kill() : server.halt()).then(() => server.resume())
      }
      const { headers, body } = await signHmac({ secret: SECRET, body: '{"a":1}' })
      const request = { headers: { ...headers }, body: String(body) }
      const id = `${request.headers['webhook-event-id']}`
      let status: number | undefined
      for (const until = performance.now() + 30_000; performance.now() < until; ) {
        status = await endpoint.post(request)
        if (status === 202 || status === 409) break
        await pause(30)
      }
      // Later steps come after the answer, if they do.
      for (const until = performance.now() + 30_000; performance.now() < until; await pause(10)) {
        if (kill.victim === 'process' ? endpoint.deaths > deaths : !isDue) break
      }
      await restarting
      const isKilled = kill.victim === 'process' ? endpoint.deaths > deaths : !isDue
      if (!endpoint.isAlive) await endpoint.start()
      return { id, isKilled, isAccepted: status === 202 || status === 409 }
    }

    /** Kills in several lanes, each with a table and a process of its own. */
    async function killAll(kills: readonly Kill[], lanes: number) {
      const unreached: string[] = []
      const counts = { unreached, lost: 0, ranAfterSuccess: 0, repeated: 0, receivedTwice: 0, unheard: 0 }
      let next = 0
      const lane = async (number: number) => {
        const table = `kills_${kind}_${lanes}_${number}`
        const box = inbox(pool, { table })
        await box.migrate()
        const endpoint = new Endpoint(configOf(table))
        const sent: Sent[] = []
        try {
          for (let kill = kills[next]; kill; kill = kills[next]) {
            next += 1
            sent.push(await send(endpoint, kill))
            if (!sent.at(-1)?.isKilled) unreached.push(kill.dieAt)
          }
          await expect
            .poll(() => box.counts())
            .toMatchObject({ waiting: 0, running: 0, dead: 0, done: sent.length })
          await pause(3 * LEASE_MS) // would any run again?
        } finally {
          await endpoint.end('SIGKILL')
        }
        for (const { id, isAccepted } of sent) {
          // `due_at` counts from the success, for the seven days of the listener; `at` is when the run was taken.
          const { rows } = await pool.query(
            `SELECT state, (SELECT count(*)::int FROM effects WHERE event_id = id) AS effects,
              (SELECT count(*)::int FROM received WHERE event_id = id) AS received,
              EXISTS (SELECT FROM effects WHERE event_id = id AND at > due_at - interval '7 days') AS late
            FROM ${table} WHERE id = $1`,
            [id],
          )
          const [row] = rows
          if (row?.state !== 'done' || row.effects === 0) counts.lost += 1
          if (row?.late) counts.ranAfterSuccess += 1
          if (row?.effects > 1) counts.repeated += 1
          if (row?.received > 1) counts.receivedTwice += 1
          if (!isAccepted) counts.unheard += 1
        }
      }
      await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)))
      return counts
    }

    const steps = STEPS[kind]
    /** Begins at another step in each run. */
    const first = Math.floor(Math.random() * steps.length)
    const killsAt = (count: number, victim: Kill['victim']): Kill[] =>
      Array.from({ length: count }, (_, number) => ({
        dieAt: steps[(first + number) % steps.length] ?? '',
        dieLater: Math.floor(number / steps.length) % 2 === 1,
        victim,
        how: number % 2 === 0 ? 'killed' : 'stopped at once',
      }))
    const none = {
      unreached: [],
      lost: 0,
      ranAfterSuccess: 0,
      receivedTwice: 0,
      unheard: 0,
      ...(isTransactions && { repeated: 0 }),
    }

    it('a process that is killed at any step loses no event, and none runs after its success', {
      timeout: 3_600_000,
    }, async () => {
      const kills = killsAt(killsOf('inboxProcesses'), 'process')
      const counts = await killAll(kills, LANES)
      if (KILL_TIMES > 1) console.log(kind, kills.length, 'processes', counts)
      expect(counts).toMatchObject(none)
    })

    it('a Postgres that is killed at any step loses no event, and none runs after its success', {
      timeout: 3_600_000,
    }, async () => {
      const kills = killsAt(killsOf('inboxPostgres'), 'Postgres')
      const counts = await killAll(kills, 1)
      if (KILL_TIMES > 1) console.log(kind, kills.length, 'Postgres', counts)
      expect(counts).toMatchObject(none)
    })

    it('SIGTERM ends the process when what runs has ended', async () => {
      const table = `kills_${kind}_term`
      const box = inbox(pool, { table })
      await box.migrate()
      const endpoint = new Endpoint(configOf(table))
      const { headers, body } = await signHmac({ secret: SECRET, body: '{"a":1}' })
      expect(await endpoint.post({ headers: { ...headers }, body: String(body) })).toBe(202)
      expect(await endpoint.end('SIGTERM')).toBe(0)
      expect(await box.counts()).toMatchObject({ running: 0, dead: 0 })
    })
  },
)
