// The inbox; and pg-boss and graphile-worker behind a listener with `postgresStore`, as docs/handoff.md has them. Those two are
// installed for test/suites/queues alone, and found there.
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { fromEnvelope, jobId, jobUuid, toEnvelope } from 'hookgate/handoff'
import { inbox } from 'hookgate/inbox'
import { postgresStore } from 'hookgate/stores/postgres'
import pg from 'pg'

/** How many deliveries are put, and how many jobs run, at the same time. */
export const AT_ONCE = 10
const QUEUE = 'bench'
const { resolve } = createRequire(new URL('../test/suites/queues/package.json', import.meta.url))

/** The module, or why it is missing. */
async function queue(name) {
  try {
    return await import(pathToFileURL(resolve(name)).href)
  } catch {
    return { missing: `${name}: run npm run test:queues, which installs it` }
  }
}

async function inboxSubject(address) {
  const pool = new pg.Pool({ ...address, max: AT_ONCE })
  const box = inbox(pool)
  await box.migrate()
  return {
    name: 'hookgate/inbox',
    /** Of the listener, whose events are put. */
    store: box.store,
    put: (event) => box.put(event),
    /** Returns a function that stops the worker. */
    work(listener, handler) {
      const worker = box.work(listener, handler, { concurrency: AT_ONCE, pollMs: 50 })
      return () => worker.stop()
    },
    close: () => pool.end(),
  }
}

async function storeOn(address) {
  const pool = new pg.Pool({ ...address, max: AT_ONCE })
  const store = postgresStore(pool)
  await store.migrate()
  return { pool, store }
}

const PgBoss = await queue('pg-boss')

async function pgBossSubject(address) {
  const { pool, store } = await storeOn(address)
  const boss = new PgBoss.default({ ...address, max: AT_ONCE })
  boss.on('error', console.error)
  await boss.start()
  await boss.createQueue(QUEUE)
  return {
    name: 'postgresStore, pg-boss 10.4',
    store,
    put: async (event) =>
      boss.send(QUEUE, toEnvelope(event), { id: await jobUuid(event), expireInSeconds: 900 }),
    work(_listener, handler) {
      // It takes a batch at each poll, half a second apart at least, so batches are as large as a round needs.
      const options = { batchSize: 1000, pollingIntervalSeconds: 0.5 }
      const working = boss.work(QUEUE, options, async (jobs) => {
        for (const { data } of jobs) await handler(fromEnvelope(data))
      })
      return async () => boss.offWork({ id: await working })
    },
    async close() {
      await boss.stop({ wait: true })
      await pool.end()
    },
  }
}
pgBossSubject.missing = PgBoss.missing

const graphile = await queue('graphile-worker')

async function graphileWorkerSubject(address) {
  const { pool, store } = await storeOn(address)
  const workers = new pg.Pool({ ...address, max: AT_ONCE + 2 })
  workers.on('error', console.error) // or graphile-worker complains
  workers.on('connect', (connection) => connection.on('error', console.error))
  await graphile.runMigrations({ pgPool: workers })
  return {
    name: 'postgresStore, graphile-worker 0.17',
    store,
    put: (event) =>
      pool.query('SELECT graphile_worker.add_job($1, $2::json, job_key => $3)', [
        QUEUE,
        JSON.stringify(toEnvelope(event)),
        jobId(event),
      ]),
    work(_listener, handler) {
      const running = graphile.run({
        pgPool: workers,
        concurrency: AT_ONCE,
        pollInterval: 50,
        noHandleSignals: true,
        parsedCronItems: [],
        logger: new graphile.Logger(() => () => {}),
        taskList: { [QUEUE]: (payload) => handler(fromEnvelope(payload)) },
      })
      return async () => (await running).stop()
    },
    async close() {
      await workers.end()
      await pool.end()
    },
  }
}
graphileWorkerSubject.missing = graphile.missing

/** Each opens with the address of a server, as the first one does. */
export const SUBJECTS = [inboxSubject, pgBossSubject, graphileWorkerSubject]
