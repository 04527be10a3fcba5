import { ListenerConfigError } from '../errors.ts'
import type { WebhookEvent } from '../event.ts'
import type { EventStore } from '../event-store.ts'
import { isListener } from '../is-listener.ts'
import {
  aFunction,
  checkedElsewhere,
  checkOptions,
  type OptionCheck,
  type OptionTable,
  optional,
  positiveInteger,
} from '../lib/options.ts'
import type { Listener } from '../listener.ts'
import { asciiText } from '../stores/contract.ts'
import { type PostgresClient, statementRunner } from '../stores/postgres/client.ts'
import { answerOf, rowsOf } from './ask.ts'
import { Claims, type PutOptions } from './claims.ts'
import type { InboxHandler } from './run.ts'
import { DEFAULT_TABLE, inboxMigration, statementsFor } from './statements.ts'
import { type InboxErrorContext, type InboxWorker, Worker } from './worker.ts'

/** The options of `inbox`. All processes that share a table should have the same. */
export interface InboxOptions {
  /** `name` or `schema.name`, of letters, digits and underscores. Defaults to `hookgate_inbox`. */
  readonly table?: string | undefined
  /**
   * How long a worker holds a job without a heartbeat, in milliseconds. A job whose process died runs again after that time, however
   * long its handler takes otherwise. Defaults to 60,000.
   */
  readonly leaseMs?: number | undefined
  /** How often a job is tried before it is dead. Defaults to 10, within two to four hours. */
  readonly maxAttempts?: number | undefined
  /**
   * How long an event is remembered as done, in milliseconds, from its success on. The listener's `retentionSeconds` counts if it is
   * longer, which is the default.
   */
  readonly retentionMs?: number | undefined
}

/** The options of `work`. */
export interface WorkOptions {
  /** How many jobs run at the same time. Defaults to 10. A run that has lost its event does not count, though it may go on. */
  readonly concurrency?: number | undefined
  /** How often to look for jobs that another process has put, in milliseconds. Defaults to 1,000. */
  readonly pollMs?: number | undefined
  /** The heartbeat of a run ends after that time, in milliseconds, so that another worker gets the job. Defaults to 900,000. */
  readonly maxRunMs?: number | undefined
  /** How long `stop()` waits for the jobs that run, in milliseconds. Defaults to 25,000. */
  readonly drainMs?: number | undefined
  /**
   * Returns the delay after an attempt that failed, in milliseconds. Defaults to 5 s after the first, three times as long after each one that
   * follows, and an hour at most, less a random part of up to a half.
   */
  readonly delayMs?: ((attempt: number) => number) | undefined
  /** Returns a number from 0 up to 1, for the jitter. Defaults to `Math.random`. */
  readonly random?: (() => number) | undefined
  /**
   * Called for each attempt that fails, each job that is dead or lost, and once for each outage of the database. Defaults to the
   * listener's `onError`. Null: no warning is written either.
   */
  readonly onError?: ((error: unknown, context: InboxErrorContext) => unknown) | null | undefined
}

/** How many jobs there are. */
export interface InboxCounts {
  /** Due now, or after a delay. */
  readonly waiting: number
  /** With a lease that has not ended. */
  readonly running: number
  /** Out of attempts. They stay, as duplicates of later deliveries, until you call `again()`, or delete their rows. */
  readonly dead: number
  /** Done, and still remembered. */
  readonly done: number
}

/** Verified events, kept in Postgres until their handler has succeeded. */
export interface Inbox {
  /** Creates the table and its indexes if they are missing. Safe to run concurrently. */
  migrate(): Promise<void>
  /**
   * For the listeners whose events you put: `defineListener({ store: box.store, … })`. No event of theirs is done before a worker has run
   * it: a 2xx without `put` makes the event a job too, and `onError` is told.
   */
  readonly store: EventStore
  /**
   * Makes a job of an event that a listener with this store has accepted. Await it before you answer 2xx. From then on, deliveries of the
   * event are duplicates, and a worker runs it.
   *
   * With `tx`, the job appears when your transaction commits, together with what you wrote there. Answer 2xx only after that. If you
   * answer 2xx though it was rolled back, the event becomes a job all the same, and `onError` is told.
   *
   * @throws InboxError if the event is not of this inbox, or if its lease ended and another delivery has claimed it. Let the handler
   * fail, and the sender's retry decides. Any error of the client or the server.
   */
  put(event: WebhookEvent<unknown>, options?: PutOptions): Promise<void>
  /**
   * Runs the events of a listener until you call `stop()`, in as many processes as you like. The listener reads the payload again from
   * the stored bytes, with its schema. An event that it cannot read is dead.
   *
   * At least once: after a crash, an event runs again. With `run.done(tx)`, what the handler wrote in `tx` takes effect exactly once.
   *
   * @throws ListenerConfigError for wrong arguments and options.
   */
  work<Given extends Listener<unknown>>(
    listener: Given,
    handler: InboxHandler<Given>,
    options?: WorkOptions,
  ): InboxWorker
  /** Makes dead jobs run again, with all their attempts: those of the event with this `event.id`, or all. Returns their number. */
  again(id?: string): Promise<number>
  /** Counts the jobs of all listeners. Reads the whole table, so call it for a look, not for each request. */
  counts(): Promise<InboxCounts>
}

/** Of a timer, which holds 31 bits. */
const timerMilliseconds: OptionCheck = (value, option) => {
  if (typeof value === 'number' && value >= 1 && value <= 2_147_483_647) return
  throw new ListenerConfigError(option, 'must be milliseconds, from 1 to 2,147,483,647')
}

const OPTIONS: OptionTable<InboxOptions> = {
  table: checkedElsewhere,
  leaseMs: optional(timerMilliseconds),
  maxAttempts: optional(positiveInteger),
  retentionMs: optional(positiveInteger),
}

const WORK_OPTIONS: OptionTable<WorkOptions> = {
  concurrency: optional(positiveInteger),
  pollMs: optional(timerMilliseconds),
  maxRunMs: optional(timerMilliseconds),
  drainMs: optional(timerMilliseconds),
  delayMs: optional(aFunction),
  random: optional(aFunction),
  onError: (value, option) => value === null || optional(aFunction)(value, option),
}

/**
 * Keeps verified events in a Postgres table until their handler has succeeded: the endpoint answers at once, workers do the work. A row is
 * the event's claim, its job, and what remembers duplicates. Create the table with `migrate()`.
 *
 * @example
 * ```ts
 * const box = inbox(pool)
 * await box.migrate()
 * const listener = defineListener({ id: 'stripe', auth, store: box.store })
 * const handle = webhookHandler(listener, (event) => box.put(event))
 * const worker = box.work(listener, async (event) => saveOrder(event.id, event.payload))
 * ```
 *
 * @param client pg's Pool, PGlite, neon's Pool, postgres.js, Bun's SQL, or an object with `query(text, values)` that runs each statement
 * outside a transaction.
 * @throws ListenerConfigError for another client, and for unknown or invalid options.
 */
export function inbox(client: PostgresClient, options: InboxOptions = {}): Inbox {
  checkOptions('inbox', options, OPTIONS)
  const { table = DEFAULT_TABLE, leaseMs = 60_000, maxAttempts = 10, retentionMs = 0 } = options
  const run = statementRunner(client, 'client')
  const statements = statementsFor(table)
  /** The workers of each listener in this process. */
  const workers = new Map<string, Set<{ wake(): void }>>()
  const onJob = (listenerId: string) => {
    for (const worker of workers.get(listenerId) ?? []) worker.wake()
  }
  const claims = new Claims({ run, statements, retentionMs, onJob })
  return {
    store: claims,
    put: (event, given) => claims.put(event, given),
    async migrate() {
      await run(inboxMigration(table), [])
    },
    work(listener, handler, given = {}) {
      checkWork(listener, handler, given)
      const { random = Math.random } = given
      const { delayMs = (attempt: number) => backoff(attempt, random) } = given
      const { concurrency = 10, pollMs = 1000, maxRunMs = 900_000, drainMs = 25_000, onError } = given
      const worker = new Worker({
        ...{ run, statements, listener, handler, leaseMs, retentionMs, maxAttempts },
        ...{ concurrency, pollMs, maxRunMs, drainMs, delayMs, random, onError },
      })
      const others = workers.get(listener.id) ?? new Set()
      workers.set(listener.id, others.add(worker))
      return {
        stop() {
          others.delete(worker)
          return worker.stop()
        },
      }
    },
    async again(id) {
      const { again, againOne } = statements
      const count =
        id === undefined ? await answerOf(run, again, []) : await answerOf(run, againOne, [asciiText(id)])
      for (const listenerId of workers.keys()) onJob(listenerId)
      return Number(count)
    },
    async counts() {
      const [row] = await rowsOf(run, statements.counts, [])
      const count = (name: string) => Number(row?.[name])
      return {
        waiting: count('waiting'),
        running: count('running'),
        dead: count('dead'),
        done: count('done'),
      }
    },
  }
}

function checkWork(listener: unknown, handler: unknown, options: object): void {
  if (!isListener(listener))
    throw new ListenerConfigError('listener', 'must be the result of defineListener()')
  aFunction(handler, 'handler')
  checkOptions('work', options, WORK_OPTIONS)
}

const FIRST_DELAY_MS = 5000
const LONGEST_DELAY_MS = 3_600_000

function backoff(attempt: number, random: () => number): number {
  return Math.min(FIRST_DELAY_MS * 3 ** (attempt - 1), LONGEST_DELAY_MS) * (0.5 + random() / 2)
}
