import type { Listener } from 'hookgate'
import {
  type Envelope,
  fromEnvelope,
  type HandedOffEvent,
  jobUuid,
  toEnvelope,
} from 'hookgate/handoff'
import { webhookHandler } from 'hookgate/web'
import pg from 'pg'
import PgBoss from 'pg-boss'

const QUEUE = 'webhooks'

/** Longer than the longest run, which pg-boss would start again meanwhile; and how long a killed worker's job waits. */
const LONGEST_RUN_SECONDS = 15 * 60

/** As long as any sender retries. pg-boss 10 forgets a job's ID when it archives the job, which is after 12 hours by default. */
const REMEMBERED_SECONDS = 7 * 24 * 3600

async function startBoss(connectionString: string): Promise<PgBoss> {
  const boss = new PgBoss({
    connectionString,
    archiveCompletedAfterSeconds: REMEMBERED_SECONDS,
    archiveFailedAfterSeconds: REMEMBERED_SECONDS,
  })
  boss.on('error', (error) => console.error(error.message))
  await boss.start()
  await boss.createQueue(QUEUE)
  return boss
}

export async function startReceiver(
  listener: Listener,
  connectionString: string,
) {
  const boss = await startBoss(connectionString)
  // While Postgres is down, fail: by default a query waits forever.
  const pool = new pg.Pool({
    connectionString,
    connectionTimeoutMillis: 2000,
    query_timeout: 2000,
  })
  pool.on('error', (error) =>
    console.error('an idle connection broke:', error.message),
  )
  const db = {
    executeSql: (text: string, values: unknown[]) =>
      pool.query(text, values),
  }
  const fetch = webhookHandler(listener, async (event) => {
    // Null for a job that is there already, which is what this wants.
    await boss.send(QUEUE, toEnvelope(event), {
      id: await jobUuid(event),
      db,
      expireInSeconds: LONGEST_RUN_SECONDS,
      retryLimit: 10,
      retryBackoff: true,
    })
  })
  return {
    fetch,
    async stop(): Promise<void> {
      await boss.stop({ wait: true })
      await pool.end()
    },
  }
}

export async function startWorker(
  connectionString: string,
  work: (event: HandedOffEvent) => Promise<void>,
) {
  const boss = await startBoss(connectionString)
  await boss.work<Envelope>(
    QUEUE,
    { pollingIntervalSeconds: 0.5 },
    async (jobs) => {
      for (const { data } of jobs) await work(fromEnvelope(data))
    },
  )
  return { stop: () => boss.stop({ wait: true }) }
}
