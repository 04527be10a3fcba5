import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { memberOf } from '../../src/lib/member-of.ts'
import { SECRET } from '../support/hmac-listener.ts'
import { KILL_TIMES, killsOf } from '../support/kills.ts'
import { acceptedEvent } from '../support/outcome.ts'
import { onPostgres, WHY_NO_POSTGRES } from '../support/postgres-server.ts'
import { earlierTake } from './earlier-take.ts'
import { boxListener, inboxServer } from './support.ts'

// `npm run test:kills` kills more often.
const [KEYS, JOBS] = KILL_TIMES > 1 ? [100, 10_000] : [20, 400]
const MAX_ATTEMPTS = 3
const PROGRAM = fileURLToPath(new URL('./order-process.mjs', import.meta.url))

interface Ran {
  readonly key: string
  readonly place: number
  readonly attempt: number
  readonly earlier: boolean
  readonly started_at: Date
  readonly ended_at: Date | null
}

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('workers of jobs with keys'), () => {
  const on = inboxServer()

  it('no key runs two at once, and none out of its order, though workers are killed, and one is of an earlier version', {
    timeout: 3_600_000,
  }, async () => {
    const { box, table } = await on.fresh({ keyOf: ({ payload }) => String(memberOf(payload, 'key')) })
    await on.pool.query(`CREATE TABLE runs (id serial PRIMARY KEY, key text, place int, attempt int, earlier boolean,
      started_at timestamptz DEFAULT clock_timestamp(), ended_at timestamptz)`)
    const { listener, deliver } = boxListener(box)
    /** Puts the jobs of a key one after the other: they fail as often as chance says, and for good if that is each time. */
    const putAll = async (key: string) => {
      for (let place = 0; place < JOBS / KEYS; place += 1) {
        const fails = Math.random() < 0.7 ? 0 : Math.floor(Math.random() * (MAX_ATTEMPTS + 1))
        await box.put(await acceptedEvent(await deliver(JSON.stringify({ key, place, fails })), listener))
      }
    }

    const children = new Set<ChildProcess>()
    onTestFinished(() => {
      for (const child of children) child.kill('SIGKILL')
    })
    const config = { connection: on.server.address, table, secret: SECRET, leaseMs: 2000 }
    async function start(isEarlier: boolean) {
      const more = isEarlier ? { earlierTake: earlierTake(table) } : {}
      const child = fork(PROGRAM, [JSON.stringify({ ...config, ...more })], { execArgv: [] })
      children.add(child)
      child.once('exit', () => children.delete(child))
      await once(child, 'message')
      return { child, isEarlier }
    }
    /** Jobs whose turn it is, and which no take would find before minutes have passed. */
    const putOff = async () => {
      const ofKey = (condition: string) =>
        `EXISTS (SELECT FROM ${table} AS other WHERE other.order_key = one.order_key AND ${condition})`
      const { rows } = await on.pool.query(`SELECT count(*)::int AS count FROM ${table} AS one
        WHERE state = 'behind' AND due_at > clock_timestamp() + interval '10 s' AND NOT ${ofKey(`other.state = 'waiting' OR other.holds`)}
        AND NOT ${ofKey(`other.state = 'behind' AND other.number < one.number`)}`)
      return Number(rows[0]?.count)
    }
    const putting = Promise.all(Array.from({ length: KEYS }, (_, number) => putAll(`customer ${number}`)))
    const workers = await Promise.all([start(false), start(true)])
    const kills = killsOf('inboxOrder')
    let putOffAtMost = 0
    for (let kill = 0; kill < kills; kill += 1) {
      await pause(Math.random() * 300)
      const [victim] = workers.splice(Math.floor(Math.random() * workers.length), 1)
      const ended = victim && once(victim.child, 'exit')
      victim?.child.kill('SIGKILL')
      await ended
      workers.push(await start(victim?.isEarlier ?? false))
      putOffAtMost = Math.max(putOffAtMost, await putOff())
    }
    await putting
    const open = async () => {
      const { waiting, running, held } = await box.counts()
      return waiting + running + held
    }
    for (let left = await open(); left > 0; left = await open()) {
      await expect.poll(open, { interval: 500 }).toBeLessThan(left)
      putOffAtMost = Math.max(putOffAtMost, await putOff())
    }

    const { rows } = await on.pool.query<Ran>('SELECT * FROM runs ORDER BY started_at, id')
    const byKey = new Map<string, Ran[]>()
    for (const row of rows) byKey.set(row.key, [...(byKey.get(row.key) ?? []), row])
    const counts = {
      kills,
      putOffAtMost,
      runs: rows.length,
      byEarlier: 0,
      cutOff: 0,
      atOnce: 0,
      outOfOrder: 0,
      skipped: 0,
    }
    counts.byEarlier = rows.filter(({ earlier }) => earlier).length
    counts.cutOff = rows.filter(({ ended_at }) => ended_at === null).length
    for (const ran of byKey.values()) {
      for (const [at, next] of ran.entries()) {
        const last = ran[at - 1]
        if (last?.ended_at && last.ended_at > next.started_at) counts.atOnce += 1
        if (last && next.place < last.place) counts.outOfOrder += 1
        if (next.place > (last?.place ?? -1) + 1) counts.skipped += 1
      }
      if (ran.at(-1)?.place !== JOBS / KEYS - 1) counts.skipped += 1
    }
    const { dead, done } = await box.counts()
    if (KILL_TIMES > 1) console.log('order', counts, { jobs: JOBS, keys: KEYS, dead, done })
    expect(done + dead).toBe(JOBS)
    expect(dead).toBeGreaterThan(0)
    expect(counts.byEarlier).toBeGreaterThan(0)
    expect(counts).toMatchObject({ putOffAtMost: 0, atOnce: 0, outOfOrder: 0, skipped: 0 })
  })
})
