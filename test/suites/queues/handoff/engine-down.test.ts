import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { jobId } from '../../../../src/handoff/index.ts'
import { defineListener, hmac } from '../../../../src/index.ts'
import { memoryStore } from '../../../../src/stores/memory.ts'
import { signHmac } from '../../../../src/testing/index.ts'
import { ENGINES, type Engine } from './engines.ts'
import { ENGINE_NAMES, type EngineName, PROGRAMS } from './programs.ts'

/** The longest listener ID. It makes a job ID of 128 characters, which every queue must take. */
const LISTENER_ID = `${'listener-_.'.repeat(8)}end`

/** These take a job only once they know its worker. */
const WORKER_FIRST: readonly EngineName[] = ['Restate', 'DBOS']

const SECRET = 'handoff-0123456789-abcdefghijklmnop'

const WAYS: readonly (readonly [
  name: string,
  down: (engine: Engine) => unknown,
  up: (engine: Engine) => unknown,
])[] = [
  ['is down', (engine) => engine.halt(), (engine) => engine.resume()],
  ['hangs', (engine) => engine.pause(), (engine) => engine.unpause()],
]

/** The engines that write the job in a transaction of Postgres, each with the table it writes to. */
const IN_TRANSACTION: readonly (readonly [name: EngineName, table: string])[] = [
  ['graphile-worker', 'handed_off'],
  ['DBOS', 'dbos.workflow_status'],
]

describe.each(IN_TRANSACTION)('the transaction of the hand-off to %s', (name, table) => {
  it('the transaction fails without ending the process when its server crashes in the middle', async () => {
    const engine = await ENGINES[name]()
    onTestFinished(() => engine.remove())
    const listener = defineListener({ id: 'orders', auth: hmac({ secrets: SECRET }), store: memoryStore() })
    const program = await PROGRAMS[name]()
    if (WORKER_FIRST.includes(name)) {
      const worker = await program.startWorker(engine.workerUrl, async () => {})
      onTestFinished(async () => void (await worker.stop()))
    }
    const receiver = await program.startReceiver(listener, engine.url)
    onTestFinished(async () => void (await receiver.stop()))
    const other = new pg.Client({ connectionString: engine.url })
    other.on('error', () => {}) // its server dies too
    await other.connect()
    await other.query('BEGIN')
    await other.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`)
    const signed = await signHmac({ secret: SECRET, body: '{}', eventId: randomUUID() })
    const attempt = receiver.fetch(new Request('http://localhost/webhooks', signed))
    const failed = expect(attempt).rejects.toThrow()
    const waiting = 'SELECT pid FROM pg_locks WHERE NOT granted'
    let pids: number[] = []
    const ask = async () => (pids = (await other.query(waiting)).rows.map(({ pid }) => Number(pid)))
    await expect.poll(ask).not.toHaveLength(0)

    for (const pid of pids) process.kill(pid, 'SIGKILL') // the server then closes all other connections too

    await failed // an uncaught error of the client would fail the run
  })
})

describe.each(ENGINE_NAMES)('the hand-off to %s', (name) => {
  it.each(WAYS)(
    'the hand-off throws while the engine %s, and the event runs afterwards',
    async (_, down, up) => {
      const engine = await ENGINES[name]()
      onTestFinished(() => engine.remove())
      const listener = defineListener({
        id: LISTENER_ID,
        auth: hmac({ secrets: SECRET }),
        store: memoryStore(),
      })
      expect(jobId({ listenerId: LISTENER_ID, id: randomUUID() })).toHaveLength(128)
      const program = await PROGRAMS[name]()
      const runs: string[] = []
      const startWorker = async () => {
        const worker = await program.startWorker(engine.workerUrl, async ({ id }) => void runs.push(id))
        onTestFinished(async () => void (await worker.stop()))
      }
      if (WORKER_FIRST.includes(name)) await startWorker()
      const receiver = await program.startReceiver(listener, engine.url)
      onTestFinished(async () => void (await receiver.stop()))
      const attempt = async (eventId: string) => {
        const signed = await signHmac({ secret: SECRET, body: '{}', eventId })
        return receiver.fetch(new Request('http://localhost/webhooks', signed))
      }
      const [before, during] = [randomUUID(), randomUUID()]
      const status = (eventId: string) => attempt(eventId).then((answer) => answer.status, String)
      // On a busy machine the first attempts may exceed the client's deadline.
      await expect.poll(() => status(before)).toBe(200)

      await down(engine)
      await expect(attempt(during)).rejects.toThrow() // a client without a deadline would wait for the engine
      await up(engine)

      // The event was released. Otherwise the answer would be 503 until the lease ends, in a minute.
      await expect.poll(() => status(during)).toBe(200)
      if (!WORKER_FIRST.includes(name)) await startWorker()
      await expect.poll(() => runs).toContain(during)
      expect(runs.filter((id) => id === during)).toHaveLength(1)
    },
  )
})
