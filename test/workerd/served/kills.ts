import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { startWorkerd } from './workerd-server.ts'

export type Engine = 'd1' | 'durable-object'

export interface KillOptions {
  /** Where workerd stores everything, over all its lives. */
  readonly folder: string
  readonly engines: readonly Engine[]
  /** How often workerd is killed. */
  readonly kills: number
  /** Deliveries per engine in flight at a kill. */
  readonly deliveries: number
  readonly leaseMs: number
  readonly onKill?: ((kill: number, counts: object) => void) | undefined
}

export interface KillCounts {
  kills: number
  deliveries: number
  /** Uncommitted events that no retry could acquire, or whose effect never happened. */
  lost: number
  /** Events that ran again after their commit was answered. */
  runTwiceAfterCommit: number
  /** Events that were taken over before their lease could end. */
  takenEarly: number
  /** Events whose effect happened more than once, which is allowed. */
  effectRepeated: number
  /** The last reported step of each delivery. */
  lastSteps: { [step: string]: number }
}

/** The steps of a delivery, in order. `sent` is reported here, the others by the Worker. */
const STEPS = ['sent', 'acquired', 'effect', 'committed'] as const

/**
 * SIGKILLs workerd itself, with its storage on disk, while deliveries are between claim and answer: in turn after each
 * step of the first one. Then it restarts workerd and retries each delivery until it gets `acquired` or `done`. `lost`,
 * `runTwiceAfterCommit` and `takenEarly` must be 0.
 */
export async function killWorkerd(options: KillOptions): Promise<{ [engine: string]: KillCounts }> {
  const { folder, engines, kills, deliveries, leaseMs, onKill } = options
  const work = await workServer()
  const counts = Object.fromEntries(engines.map((engine) => [engine, noCounts()]))
  let workerd = await startWorkerd(folder)
  const send = (engine: Engine, key = { listenerId: 'kill', eventId: String(randomUUID()) }) => ({
    engine,
    key,
    sentAt: performance.now(),
    answer: attempt(workerd.url, engine, key, work.url, leaseMs),
  })
  try {
    await Promise.all(engines.map((engine) => send(engine).answer)) // makes the tables
    for (let kill = 0; kill < kills; kill += 1) {
      const running = engines.flatMap((engine) => Array.from({ length: deliveries }, () => send(engine)))
      const first = running[Math.floor(kill / STEPS.length) % running.length]
      await work.told(first?.key.eventId ?? '', STEPS[kill % STEPS.length] ?? 'sent')
      await pause((kill * 0.37) % 5)
      await workerd.kill()
      await Promise.all(running.map(({ answer }) => answer))
      workerd = await startWorkerd(folder)
      const retry = ({ engine, key }: Delivery) => answerOf(() => send(engine, key).answer, leaseMs)
      await Promise.all(running.map((delivery) => judge(delivery, retry, work, leaseMs, counts)))
      for (const count of Object.values(counts)) count.kills += 1
      onKill?.(kill, counts)
    }
  } finally {
    await workerd.kill()
    work.close()
  }
  return counts
}

interface Delivery {
  readonly engine: Engine
  readonly key: { readonly listenerId: string; readonly eventId: string }
  readonly sentAt: number
}

const noCounts = (): KillCounts => ({
  kills: 0,
  deliveries: 0,
  lost: 0,
  runTwiceAfterCommit: 0,
  takenEarly: 0,
  effectRepeated: 0,
  lastSteps: {},
})

type WorkServer = Awaited<ReturnType<typeof workServer>>

/** Does the work of the events and gets reports of their steps, outside the killed process. */
async function workServer() {
  const steps = new Map<string, { readonly step: string; readonly at: number }[]>()
  const waiting = new Map<string, () => void>()
  const server = createServer((request, response) => {
    const [, eventId = '', step = ''] = String(request.url).split('/')
    steps.set(eventId, [...(steps.get(eventId) ?? []), { step, at: performance.now() }])
    waiting.get(`${eventId}/${step}`)?.()
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    stepsOf: (eventId: string) => steps.get(eventId) ?? [],
    told: (eventId: string, step: string) =>
      step === 'sent'
        ? Promise.resolve()
        : new Promise<void>((resolve) => waiting.set(`${eventId}/${step}`, resolve)),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** The Worker's answer. Undefined if it was killed meanwhile. */
async function attempt(
  url: string,
  engine: Engine,
  key: Delivery['key'],
  effectUrl: string,
  ms: number,
): Promise<unknown> {
  const asked = { engine, verb: 'attempt', key, owner: randomUUID(), ms, effectUrl }
  try {
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(asked) })
    return await response.json()
  } catch {
    return undefined
  }
}

async function judge(
  delivery: Delivery,
  retry: (delivery: Delivery) => Promise<unknown>,
  work: WorkServer,
  leaseMs: number,
  counts: { readonly [engine: string]: KillCounts },
): Promise<void> {
  const count = counts[delivery.engine]
  if (count === undefined) throw new Error(`nobody counts ${delivery.engine}`)
  const { eventId } = delivery.key
  const before = work.stepsOf(eventId).map(({ step }) => step)
  const answer = await retry(delivery)
  const after = work.stepsOf(eventId)
  const effects = after.filter(({ step }) => step === 'effect').length
  const [, ...taken] = after.filter(({ step }) => step === 'acquired')
  const last = before.at(-1) ?? 'sent'
  count.deliveries += 1
  count.lastSteps[last] = (count.lastSteps[last] ?? 0) + 1
  if (answer === 'busy' || effects === 0) count.lost += 1
  if (effects > 1) count.effectRepeated += 1
  if (answer !== 'acquired') return
  if (before.includes('committed')) count.runTwiceAfterCommit += 1
  const isEarly = taken.some(({ at }) => at < delivery.sentAt + leaseMs)
  if (before.includes('acquired') && isEarly) count.takenEarly += 1
}

/** `acquired` or `done`. `busy` only if the event was still held long after its lease. */
async function answerOf(ask: () => Promise<unknown>, leaseMs: number): Promise<unknown> {
  const until = performance.now() + leaseMs + 20_000
  for (;;) {
    const isOverdue = performance.now() > until
    const answer = await ask()
    if (answer === 'acquired' || answer === 'done') return answer
    if (isOverdue) return 'busy'
    await pause(20)
  }
}
