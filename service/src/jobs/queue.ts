import PgBoss from 'pg-boss'
import type { Database, Transaction } from '../database/database.ts'
import { executorOn } from './executor.ts'

/** A run that is to be worked on, taken by this process until its lease ends. */
export interface Job {
  readonly id: string
  readonly runId: string
  /** How it came: to be run, or as one that was tried too often. */
  readonly queue: 'runs' | 'runs_given_up'
}

export interface JobQueue {
  /** Queues a run. It is there when the transaction commits, and only then. */
  add(tx: Transaction, runId: string): Promise<void>
  /** Tells the workers of this process that a transaction with a new job was committed. */
  announce(): void
  onAnnounced(hear: () => void): void
  /** The next job, if there is one. Nobody else gets it while the lease runs. */
  take(): Promise<Job | undefined>
  /** The job is done when the transaction commits. */
  complete(tx: Transaction, job: Job): Promise<void>
  /** The attempt failed: the job comes again, after a second at first, and after twice as long each time. */
  fail(job: Job): Promise<void>
  close(): Promise<void>
}

export interface JobQueueOptions {
  /** How long a taken job is left alone; if its process died, the job comes again after it. In seconds, default 60. */
  readonly leaseSeconds?: number | undefined
  readonly report: (error: unknown) => void
}

const QUEUE = 'runs'
const GIVEN_UP = 'runs_given_up'
/** How often a run is begun before it is given up: over an hour or two, in which a database or a mistake can be mended. */
export const MOST_ATTEMPTS = 13
/** Leases that have ended are looked for this often, or as often as they end. */
const SWEEP_SECONDS = 10
/** A job waits for years if the service is down that long; pg-boss would forget it after two weeks. */
const RETENTION_MINUTES = 3_650 * 24 * 60

/** What pg-boss's `send` writes, which also asks for all that its options could be: it costs twice as much. */
const ADD = `INSERT INTO pgboss.job (name, data, retry_limit, retry_delay, retry_backoff, expire_in, keep_until,
    dead_letter, policy)
  SELECT name, $1::jsonb, retry_limit, retry_delay, retry_backoff, expire_seconds * interval '1s',
    now() + retention_minutes * interval '1 minute', dead_letter, policy
  FROM pgboss.queue WHERE name = '${QUEUE}'`

/** Durable jobs in the service's own database, by pg-boss: its tables are in the schema `pgboss`, made if missing. */
export async function openJobQueue(database: Database, options: JobQueueOptions): Promise<JobQueue> {
  const { leaseSeconds = 60, report } = options
  const boss = new PgBoss({
    db: executorOn(database.client),
    schedule: false,
    maintenanceIntervalSeconds: Math.min(SWEEP_SECONDS, leaseSeconds),
  })
  boss.on('error', report)
  const kept = { expireInSeconds: leaseSeconds, retentionMinutes: RETENTION_MINUTES, retryDelay: 1 }
  const retried = { retryLimit: MOST_ATTEMPTS - 1, retryBackoff: true, deadLetter: GIVEN_UP }
  // pg-boss survives no race in its own set-up: of two processes that create its schema, one fails.
  await database.exclusively(async () => {
    await boss.start()
    await keepQueue(boss, { name: GIVEN_UP, ...kept, retryLimit: 1_000_000 })
    await keepQueue(boss, { name: QUEUE, ...kept, ...retried })
  })
  return queueOn(boss)
}

/** What an earlier start has set up is as this one wants it. */
async function keepQueue(boss: PgBoss, queue: PgBoss.Queue): Promise<void> {
  await boss.createQueue(queue.name, queue)
  await boss.updateQueue(queue.name, queue)
}

function queueOn(boss: PgBoss): JobQueue {
  const hearers: (() => void)[] = []
  return {
    announce: () => {
      for (const hear of hearers) hear()
    },
    onAnnounced: (hear) => void hearers.push(hear),
    async add(tx, runId) {
      await tx.query(ADD, [JSON.stringify({ runId })])
    },
    take: async () => (await takeFrom(boss, QUEUE)) ?? (await takeFrom(boss, GIVEN_UP)),
    async complete({ client }, { queue, id }) {
      await boss.complete(queue, id, {}, { db: executorOn(client) })
    },
    async fail({ queue, id }) {
      await boss.fail(queue, id)
    },
    close: () => boss.stop({ graceful: false, close: false }),
  }
}

async function takeFrom(boss: PgBoss, queue: Job['queue']): Promise<Job | undefined> {
  const [job] = (await boss.fetch<{ runId: string }>(queue)) ?? []
  return job && { id: job.id, runId: job.data.runId, queue }
}
