import { run, runMigrations } from 'graphile-worker'
import type { Listener } from 'hookgate'
import {
  fromEnvelope,
  type HandedOffEvent,
  jobId,
  toEnvelope,
} from 'hookgate/handoff'
import { webhookHandler } from 'hookgate/web'
import pg from 'pg'

// One row for each event that became a job, because a job that is done leaves none. Run this when you deploy.
const HANDED_OFF =
  'CREATE TABLE IF NOT EXISTS handed_off (job_id text PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())'
const FORGET =
  "DELETE FROM handed_off WHERE at < now() - interval '7 days'"

export async function startReceiver(
  listener: Listener,
  connectionString: string,
) {
  // While Postgres is down, fail: by default a query waits forever.
  const pool = new pg.Pool({
    connectionString,
    connectionTimeoutMillis: 1000,
    query_timeout: 1000,
  })
  // Without these two, a connection that breaks ends the process: an idle one, or one in a transaction.
  pool.on('error', (error) =>
    console.error('an idle connection broke:', error.message),
  )
  pool.on('connect', (connection) => connection.on('error', () => {})) // its next statement rejects
  await pool.query(HANDED_OFF)
  await runMigrations({ connectionString })

  const fetch = webhookHandler(listener, (event) =>
    inTransaction(pool, async (tx) => {
      const row = await tx.query(
        'INSERT INTO handed_off (job_id) VALUES ($1) ON CONFLICT DO NOTHING',
        [jobId(event)],
      )
      if (row.rowCount === 0) return // the job already exists
      const job = [
        'webhook',
        JSON.stringify(toEnvelope(event)),
        jobId(event),
      ]
      await tx.query(
        'SELECT graphile_worker.add_job($1, $2::json, job_key => $3)',
        job,
      )
    }),
  )
  const sweeping = setInterval(
    () => pool.query(FORGET).catch(console.error),
    60_000,
  ).unref()
  return {
    fetch,
    async stop(): Promise<void> {
      clearInterval(sweeping)
      await pool.end()
    },
  }
}

async function inTransaction(
  pool: pg.Pool,
  work: (tx: pg.PoolClient) => Promise<void>,
): Promise<void> {
  const tx = await pool.connect()
  try {
    await tx.query('BEGIN')
    await work(tx)
    await tx.query('COMMIT')
    tx.release()
  } catch (error) {
    tx.release(true) // closes the connection, and Postgres rolls back
    throw error
  }
}

export async function startWorker(
  connectionString: string,
  work: (event: HandedOffEvent) => Promise<void>,
) {
  const taskList = {
    webhook: (payload: unknown) => work(fromEnvelope(payload)),
  }
  const runner = await run({
    connectionString,
    taskList,
    noHandleSignals: true,
    pollInterval: 500,
  })
  return { stop: () => runner.stop() }
}
