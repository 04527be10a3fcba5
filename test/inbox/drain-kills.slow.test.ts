import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { SECRET } from '../support/hmac-listener.ts'
import { KILL_TIMES, killsOf } from '../support/kills.ts'
import { acceptedEvent } from '../support/outcome.ts'
import { onPostgres, WHY_NO_POSTGRES } from '../support/postgres-server.ts'
import { boxListener, inboxServer } from './support.ts'

// `npm run test:kills` kills more often.
const LANES = 4
const EVENTS = KILL_TIMES > 1 ? 2000 : 150
const PROGRAM = fileURLToPath(new URL('./drain-process.mjs', import.meta.url))

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('drains that are killed'), () => {
  const on = inboxServer()

  it.each(['plain', 'transactions'] as const)(
    'drains that are killed at any moment lose no event, and run none after its success (ends: %s)',
    { timeout: 3_600_000 },
    async (kind) => {
      const { box, table } = await on.fresh()
      await on.pool.query(
        'DROP TABLE effects; CREATE TABLE effects (event_id text, attempt int, at timestamptz)',
      )
      const { listener, deliver } = boxListener(box)
      const put = async () => box.put(await acceptedEvent(await deliver(), listener))
      for (let count = 0; count < EVENTS; count += 10) await Promise.all(Array.from({ length: 10 }, put))

      const kills = killsOf('inboxDrains')
      const config = {
        ...{ connection: on.server.address, table, secret: SECRET, leaseMs: 1000 },
        ...{ transactions: kind === 'transactions', slowest: 40 },
      }
      const children = new Set<ChildProcess>()
      onTestFinished(() => {
        for (const child of children) child.kill('SIGKILL')
      })
      function start(more: object = {}): ChildProcess {
        const child = fork(PROGRAM, [JSON.stringify({ ...config, ...more })], { execArgv: [] })
        children.add(child)
        child.once('exit', () => children.delete(child))
        return child
      }
      let left = kills
      const lane = async () => {
        while (left > 0) {
          left -= 1
          expect(await once(start({ dieAfterMs: Math.random() * 150 }), 'exit')).toEqual([null, 'SIGKILL'])
        }
      }
      await Promise.all(Array.from({ length: LANES }, lane))
      const waitedLast = (await box.counts()).waiting
      for (let lanes = 0; lanes < LANES; lanes += 1) start({ slowest: 5 }) // one may find nothing left to run
      await expect
        .poll(() => box.counts())
        .toEqual({ waiting: 0, running: 0, held: 0, dead: 0, done: EVENTS })

      // `due_at` counts from the success, for the seven days of the listener; `at` is when the run was taken.
      const { rows } = await on.pool.query(
        `SELECT attempts, (SELECT count(*)::int FROM effects WHERE event_id = id) AS effects,
          EXISTS (SELECT FROM effects WHERE event_id = id AND at > due_at - interval '7 days') AS is_late
        FROM ${table} WHERE state = 'done'`,
      )
      const count = (is: (row: { attempts: number; effects: number; is_late: boolean }) => boolean) =>
        rows.filter(is).length
      const counts = {
        kills,
        interrupted: count(({ attempts }) => attempts > 1),
        lost: count(({ effects }) => effects === 0),
        ranAfterSuccess: count(({ is_late }) => is_late),
        repeated: count(({ effects }) => effects > 1),
        // Once, a process may die before the start of what it took ahead is counted. It is not taken ahead again.
        uncounted: count(({ attempts, effects }) => effects > attempts + 1),
      }
      if (KILL_TIMES > 1) console.log(kind, 'drains', counts, { events: EVENTS, waitedLast })
      expect(rows).toHaveLength(EVENTS)
      expect(waitedLast).toBeGreaterThan(0) // so all kills came in the middle of the work
      expect(counts.interrupted).toBeGreaterThan(0)
      expect(counts).toMatchObject({ lost: 0, ranAfterSuccess: 0, uncounted: 0 })
      if (kind === 'transactions') expect(counts.repeated).toBe(0)
    },
  )
})
