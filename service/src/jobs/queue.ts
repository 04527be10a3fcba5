import PgBoss from 'pg-boss'
import type { Database, Transaction } from '../database/database.ts'
import { executorOn } from './executor.ts'

/** A job that this process has leased. */
export interface Job {
  readonly id: string
  readonly runId: string
  /** Whether to work on the run, or to give it up after too many attempts. */
  readonly queue: 'runs' | 'runs_given_up'
}

export interface JobQueue {
  /** Queues a run as part of the transaction. */
  add(tx: Transaction, runId: string): Promise<void>
  /** Wakes this process's workers after the commit of a new job. */
  announce(): void
  onAnnounced(hear: () => void): void
  /** Leases the next job, if there is one. */
  take(): Promise<Job | undefined>
  /** Completes the job as part of the transaction. */
  complete(tx: Transaction, job: Job): Promise<void>
  /** Reports a failed attempt. The job is retried with exponential backoff, after one second at first. */
  fail(job: Job): Promise<void>
  close(): Promise<void>
}

export interface JobQueueOptions {
  /** The lease of a job, in seconds. The job of a dead process runs again after it. Default 60. */
  readonly leaseSeconds?: number | undefined
  readonly report: (error: unknown) => void
}

const QUEUE = 'runs'
const GIVEN_UP = 'runs_given_up'
/** The maximum number of attempts of a run. Their backoff spans one to two hours, enough to repair a database or deploy a fix. */
export const MOST_ATTEMPTS = 13
/** How often expired leases are looked for, unless the lease is shorter. */
const SWEEP_SECONDS = 10
/** Keeps jobs for years, in case the service is down. pg-boss's default is two weeks. */
const RETENTION_MINUTES = 3_650 * 24 * 60

/** Durable jobs in the service's database, by pg-boss. Creates the schema `pgboss` if missing. */
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
  // pg-boss's setup has a race: if two processes create the schema, one fails.
  await database.exclusively(async () => {
    await boss.start()
    await keepQueue(boss, { name: GIVEN_UP, ...kept, retryLimit: 1_000_000 })
    await keepQueue(boss, { name: QUEUE, ...kept, ...retried })
  })
  return queueOn(boss)
}

/** Updates a queue that an earlier start created. */
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
    async add({ client }, runId) {
      await boss.send(QUEUE, { runId }, { db: executorOn(client) })
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
