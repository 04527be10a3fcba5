import { type ChildProcess, fork, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { signHmac } from '../../../src/testing/index.ts'
import { killsOf } from '../../support/kills.ts'
import { MAIN, SECRET, temporaryDirectory } from '../support.ts'

// `npm run test:kills` kills more often. docs/forward.md has its result.
const KILLS = killsOf('gateway')
const AT_ONCE = 8
const RETRY_MS = 100
const APP = fileURLToPath(new URL('../../support/forward-app.mjs', import.meta.url))

/** When to kill: before the app, while it works, and between its work and the commit. */
const MOMENTS = ['sent', 'began', 'done'] as const
const VICTIMS = ['gateway', 'app'] as const

interface Running {
  readonly child: ChildProcess
  readonly port: number
}

/** A gateway and an app that are killed and restarted, and a record of what happened. */
class Scene {
  gatewayUrl = ''
  kills = 0
  readonly #folder: string
  readonly #appFile: string
  #app: Running | undefined
  #gateway: Running | undefined
  /** Deliveries in flight, by event. */
  readonly inFlight = new Map<string, Promise<unknown>>()
  /** How many answers were lost, by event. Only then may an event run again. */
  readonly lostAnswers = new Map<string, number>()
  #restarting: Promise<void> | undefined
  #countdown = 3

  constructor(folder: string) {
    this.#folder = folder
    this.#appFile = join(folder, 'done.txt')
  }

  async open(): Promise<void> {
    await this.#startApp(0)
    await this.#startGateway()
  }

  close(): void {
    this.#app?.child.kill('SIGKILL')
    this.#gateway?.child.kill('SIGKILL')
  }

  /** How often the app handled each event. */
  async runs(): Promise<Map<string, number>> {
    const counts = new Map<string, number>()
    const lines = (await readFile(this.#appFile, 'utf8')).split('\n').filter((line) => line !== '')
    for (const id of lines) counts.set(id, (counts.get(id) ?? 0) + 1)
    return counts
  }

  /** Kills at every few moments of the planned kind. The victims and the kinds take turns. */
  reached(moment: (typeof MOMENTS)[number]): void {
    if (this.kills >= KILLS || this.#restarting || moment !== MOMENTS[this.kills % MOMENTS.length]) return
    this.#countdown -= 1
    if (this.#countdown > 0) return
    this.#countdown = 1 + ((this.kills * 7) % 5)
    const victim = VICTIMS[Math.floor(this.kills / MOMENTS.length) % VICTIMS.length]
    this.kills += 1
    this.#restarting = (victim === 'app' ? this.#killApp() : this.#killGateway()).finally(() => {
      this.#restarting = undefined
    })
  }

  async #killApp(): Promise<void> {
    const { child, port } = this.#app as Running // The scene starts with one.
    child.kill('SIGKILL')
    await once(child, 'exit')
    await this.#startApp(port)
  }

  async #killGateway(): Promise<void> {
    const { child } = this.#gateway as Running // as above
    child.kill('SIGKILL')
    await once(child, 'exit')
    await this.#startGateway()
  }

  async #startApp(wanted: number): Promise<void> {
    for (;;) {
      const child = fork(APP, [`${wanted}`, this.#appFile], { execArgv: [] })
      const port = await new Promise<number | undefined>((resolve) => {
        child.on('exit', () => resolve(undefined)) // The port is taken for a moment.
        child.on('message', (line: string) => {
          const [word, rest] = line.split(' ')
          if (word === 'listening') resolve(Number(rest))
          if (word === 'began' || word === 'done') this.reached(word)
        })
      })
      if (port === undefined) continue
      this.#app = { child, port }
      return
    }
  }

  async #startGateway(): Promise<void> {
    const args = ['--forward-to', `http://127.0.0.1:${this.#app?.port}/`, '--timeout', '1', '--lease', '6']
    const store = ['--store', `sqlite:${join(this.#folder, 'events.db')}`]
    const child = spawn(process.execPath, [MAIN, 'listen', '--port', '0', '--json', ...args, ...store], {
      env: { ...process.env, HOOKGATE_SECRET: SECRET },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    const url = await new Promise<string>((resolve, reject) => {
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        said += text
        const [, found] = /^Listening on (\S+)$/m.exec(said) ?? []
        if (found !== undefined) resolve(found)
      })
      child.once('exit', () => reject(new Error(`the gateway ended: ${said}`)))
    }).finally(() => child.removeAllListeners('exit'))
    this.gatewayUrl = url
    this.#gateway = { child, port: Number(new URL(url).port) }
  }
}

const REFUSED = 0
const LOST = -1

/** Sends one delivery. Returns its status, or what happened if the gateway was gone. */
async function attempt(scene: Scene, eventId: string): Promise<number> {
  const signed = await signHmac({ secret: SECRET, body: '{}', eventId })
  const answer = fetch(scene.gatewayUrl, { ...signed, signal: AbortSignal.timeout(5000) })
  scene.reached('sent')
  const read = async (response: Response) => (await response.arrayBuffer()) && response.status
  return answer.then(read).catch(({ cause }) => (Object(cause).code === 'ECONNREFUSED' ? REFUSED : LOST))
}

/** A sender that retries until it gets 2xx, or 409 for an event that is done. */
async function sendUntilDone(scene: Scene, eventId: string): Promise<void> {
  for (;;) {
    const underWay = attempt(scene, eventId)
    scene.inFlight.set(eventId, underWay)
    const status = await underWay
    scene.inFlight.delete(eventId)
    if (status === 409 || (status >= 200 && status < 300)) return
    if (![REFUSED, LOST, 503, 504].includes(status)) throw new Error(`the sender was told ${status}`)
    if (status === LOST || status === 504) {
      scene.lostAnswers.set(eventId, (scene.lostAnswers.get(eventId) ?? 0) + 1)
    }
    await pause(RETRY_MS) // as senders do
  }
}

test(`${KILLS} kills of gateway and app lose nothing, and an event runs again only if its answer was lost`, {
  timeout: 120_000 + KILLS * 10_000,
}, async () => {
  const scene = new Scene(await temporaryDirectory())
  onTestFinished(() => scene.close())
  await scene.open()
  const acknowledged: string[] = []
  const waiting: Promise<void>[] = []
  while (scene.kills < KILLS) {
    const eventId = randomUUID()
    waiting.push(sendUntilDone(scene, eventId).then(() => void acknowledged.push(eventId)))
    // Events that wait for a lease do not count, so that something is always in flight.
    while (scene.inFlight.size >= AT_ONCE) await Promise.race(scene.inFlight.values())
  }
  await Promise.all(waiting)
  const runs = await scene.runs()
  expect(acknowledged.length).toBeGreaterThan(KILLS)
  expect(acknowledged.filter((id) => !runs.has(id))).toEqual([])
  const tooOften = [...runs].filter(([id, count]) => count > 1 + (scene.lostAnswers.get(id) ?? 0))
  expect(tooOften).toEqual([])
  const twice = [...runs.values()].filter((count) => count > 1).length
  console.log(`${scene.kills} kills, ${acknowledged.length} events, 0 lost, ${twice} ran more than once`)
})
