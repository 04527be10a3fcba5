import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { signHmac } from '../../../../src/testing/index.ts'
import { KILL_TIMES } from '../../../support/kills.ts'
import { buildReceiver } from './build-receiver.ts'
import { ENGINES, type Engine, redis } from './engines.ts'
import { MOMENTS, type Moment } from './moments.ts'
import { ENGINE_NAMES, type EngineName, PROGRAMS } from './programs.ts'

// `npm run test:handoff` kills 50 times at each moment. test/kills.md has its result.
const SECRET = 'handoff-0123456789-abcdefghijklmnop'

const POLL = { interval: 250 }

let receiver: Awaited<ReturnType<typeof buildReceiver>>
beforeAll(async () => {
  receiver = await buildReceiver()
})
afterAll(() => receiver.remove())

/** Where a receiver remembers its events: in the engine, if it can. */
async function storeUrlFor(engine: Engine): Promise<string> {
  if (/^(?:redis|postgres):/.test(engine.url)) return engine.url
  const store = await redis()
  onTestFinished(() => store.remove())
  return store.url
}

/** A receiver that kills itself at its moment. */
async function startReceiver(name: EngineName, url: string, storeUrl: string, moment: Moment | 'never') {
  const child = fork(receiver.file, [name, url, storeUrl, SECRET, moment], { execArgv: [] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (address: { port: number }) => resolve(address.port))
    child.once('exit', () => reject(new Error('the receiver ended')))
  })
  return { url: `http://127.0.0.1:${port}`, child, gone: exitOf(child) }
}

const exitOf = (child: ChildProcess) =>
  new Promise<NodeJS.Signals | null>((resolve) => child.once('exit', (_, signal) => resolve(signal)))

/** One attempt of the sender, with a new signature. Its status, or 0 if the receiver died. */
async function attempt(url: string, eventId: string): Promise<number> {
  const signed = await signHmac({ secret: SECRET, body: JSON.stringify({ eventId }), eventId })
  const answer = fetch(url, { ...signed, signal: AbortSignal.timeout(10_000) })
  return answer.then(({ status }) => status).catch(() => 0)
}

/** Kills one receiver after another. Reports each event in flight as soon as its receiver is killed. */
async function killAt(
  moment: Moment,
  start: (moment: Moment) => ReturnType<typeof startReceiver>,
  onKilled: (eventId: string) => void,
) {
  for (let round = 0; round < KILL_TIMES; round += 1) {
    const { url, gone } = await start(moment)
    const eventId = randomUUID()
    expect(await attempt(url, eventId)).toBe(0)
    expect(await gone).toBe('SIGKILL')
    onKilled(eventId)
  }
}

describe.each(ENGINE_NAMES)('the hand-off to %s', (name) => {
  // In CI at one of the moments.
  const moments = KILL_TIMES > 1 ? MOMENTS : MOMENTS.filter((_, at) => at === ENGINE_NAMES.indexOf(name) % 3)

  it('kills lose nothing, and no job runs twice', {
    timeout: 60_000 + KILL_TIMES * 15_000,
  }, async () => {
    const engine = await ENGINES[name]()
    onTestFinished(() => engine.remove())
    const storeUrl = await storeUrlFor(engine)
    const start = (moment: Moment | 'never') => startReceiver(name, engine.url, storeUrl, moment)
    const last = await start('never') // also sets up the engine
    const runs = new Map<string, number>()
    const worker = await (await PROGRAMS[name]()).startWorker(engine.workerUrl, async ({ id, rawBody }) => {
      expect(JSON.parse(new TextDecoder().decode(rawBody))).toEqual({ eventId: id })
      runs.set(id, (runs.get(id) ?? 0) + 1)
    })
    onTestFinished(() => worker.stop().then(() => undefined))

    const finishing = new Map<string, Promise<void>>()
    const finish = async (id: string, moment: Moment) => {
      // By the sender's next attempt the job has ended, and its queue may have forgotten it.
      if (moment !== 'before the enqueue') await expect.poll(() => runs.get(id), POLL).toBe(1)
      await expect.poll(() => attempt(last.url, id), POLL).toBeOneOf([200, 409])
      expect(await attempt(last.url, id)).toBe(409)
      await expect.poll(() => runs.get(id), POLL).toBeGreaterThan(0)
    }
    await Promise.all(
      moments.map((moment) => killAt(moment, start, (id) => finishing.set(id, finish(id, moment)))),
    )
    await Promise.all(finishing.values())
    await new Promise((resolve) => setTimeout(resolve, 1500)) // long enough for a second job to run
    expect([...runs].filter(([, count]) => count !== 1)).toEqual([])
    expect([...runs.keys()].sort()).toEqual([...finishing.keys()].sort())
    console.log(`${name}: ${finishing.size} kills, 0 lost, 0 twice`)
  })
})
