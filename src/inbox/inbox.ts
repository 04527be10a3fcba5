import { ListenerConfigError } from '../errors.ts'
import type { WebhookEvent } from '../event.ts'
import type { EventStore } from '../event-store.ts'
import { bring } from '../fixes.ts'
import { isListener } from '../is-listener.ts'
import {
  aFunction,
  checkedElsewhere,
  checkOptions,
  isTimer,
  type OptionCheck,
  type OptionTable,
  oneOfWords,
  optional,
  positiveInteger,
  timerMilliseconds,
} from '../lib/options.ts'
import type { Listener } from '../listener.ts'
import type { CheckOptions, StoreProblem } from '../stores/contract.ts'
import { SQL_FIXES } from '../stores/fixes.ts'
import { problemsOf, type TableNeeds } from '../stores/postgres/check.ts'
import { type PostgresClient, statementRunner } from '../stores/postgres/client.ts'
import { recordsOf } from './ask.ts'
import { Claims, type PutOptions } from './claims.ts'
import { type Drained, Drainer } from './drain.ts'
import { type JobName, type ListedJob, ListedJobs, type ListOptions } from './listed.ts'
import { type Mended, MendedJobs, type MendOptions } from './mended.ts'
import { migrateInbox, unfinishedIn } from './migration.ts'
import { countsIn, type InboxCounts, type OldestJob, oldestOf } from './overview.ts'
import { Probe } from './probe.ts'
import type { InboxHandler } from './run.ts'
import { DEFAULT_TABLE, statementsFor } from './statements.ts'
import { Sweeper } from './sweeper.ts'
import type { InboxErrorContext } from './teller.ts'
import { UnaskedJobs } from './unasked.ts'
import { type InboxWorker, Worker } from './worker.ts'

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
   * longer, which is the default. The few events whose delivery set a time of their own, such as Shopify's requests to delete data, are
   * remembered for that time from their delivery on, whatever has become of their job.
   */
  readonly retentionMs?: number | undefined
  /**
   * How long an event keeps its body once it is done, in milliseconds, so that `again()` can run it once more when a handler was wrong. Never
   * longer than the event is remembered. By default the body goes when the event is done, as bodies are personal data.
   */
  readonly keepBodiesFor?: number | undefined
  /**
   * Returns the key of an event, such as the customer's ID: jobs with the same key, of one listener, run one after the other, in the order of
   * their puts. Puts that overlap have no order. A text of 1 to 256 bytes in UTF-8, or null for an event that needs no order. If it returns
   * anything else, or throws, the job is stored without a key, and the listener's `onError` is told. Defaults to no order.
   */
  readonly keyOf?: ((event: WebhookEvent<unknown>) => string | null) | undefined
  /**
   * What becomes of a key when one of its jobs is dead. `continue`: the next one runs, which is the default. `hold`: none runs until you call
   * `again()` or `forget()` for the dead one.
   */
  readonly afterDead?: 'continue' | 'hold' | undefined
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

/** The options of `drain`. */
export interface DrainOptions extends Omit<WorkOptions, 'pollMs' | 'drainMs' | 'onError'> {
  /**
   * How long `drain` may take, in milliseconds from the call on: less than your host lets the function live. Defaults to 25,000. It starts no
   * job once less is left than a tenth of this, or than the longest run so far has taken. At the deadline, it aborts the `event.signal` of
   * what runs, and returns within two seconds.
   */
  readonly deadlineMs?: number | undefined
  /**
   * Called for each attempt that fails, and each job that is dead, lost, or still runs when `drain` returns. Defaults to the listener's
   * `onError`. Null: no warning is written either.
   */
  readonly onError?: WorkOptions['onError']
}

/** Verified events, kept in Postgres until their handler has succeeded. */
export interface Inbox {
  /**
   * Creates the table and its indexes if they are missing. Safe to run concurrently. From a table that it creates, it takes what default
   * privileges gave to `PUBLIC`, `anon` and `authenticated`. A table of an earlier version is completed while your receivers go on, so run it
   * before the new version starts. No step waits for locks for longer than a second with claims behind it. Indexes are built concurrently: each build
   * waits until the transactions that began before it have ended, however long that takes. A client that sends each statement in a
   * transaction of its own cannot do that: puts and claims wait until each index is built.
   *
   * @throws EventStoreError if others keep the table locked for minutes, with their process IDs; if other relations have the names of its
   * indexes, at once; if it cannot complete the table in a transaction of yours; and if several jobs of one key have begun, with the
   * statement that mends it. Any error of the client or the server.
   */
  migrate(): Promise<void>
  /**
   * Lists problems of the server, the table, who may write to it, and the pool or client. Empty if there are none. Changes nothing.
   *
   * @throws ListenerConfigError for unknown or invalid options.
   */
  check(options?: CheckOptions): Promise<readonly StoreProblem[]>
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
  /**
   * Runs the events of a listener that are due, then returns what it did: for a cron route, `waitUntil`, or a script, where no process
   * lives on for `work`. Several at once share the events. If it is killed, those that had begun run again when their lease ends.
   *
   * A handler that goes on past the deadline keeps its event until it ends, or its process does: `drain` returns without it, and `onError`
   * is told.
   *
   * @throws ListenerConfigError for wrong arguments and options. Any error of the client or the server, once what had begun has ended, so
   * that your cron route fails and somebody hears of it.
   */
  drain<Given extends Listener<unknown>>(
    listener: Given,
    handler: InboxHandler<Given>,
    options?: DrainOptions,
  ): Promise<Drained>
  /**
   * Lists jobs, the newest first, without bodies unless you ask for them. For the next ones, list again `before` the last. Reads the whole table unless `state` is
   * `waiting`, `running` or `dead`, so call it for a look, not for each request.
   *
   * @throws ListenerConfigError for unknown or invalid options.
   */
  list(options?: ListOptions): Promise<readonly ListedJob[]>
  /**
   * Finds the jobs with this name, the newest first: none if they are not in the table, and several if an unsigned `eventId` names several
   * events, but no more than 1,000 of them. With bodies, it returns fewer once these take 10 MB: name fewer then.
   *
   * @throws ListenerConfigError for a name that is none.
   */
  get(job: JobName, options?: { readonly body?: boolean | undefined }): Promise<readonly ListedJob[]>
  /**
   * Makes jobs run again, at once and with all their attempts: the ones that are named, or all that are dead. One that runs is left alone, and
   * so is one that is done, unless `keepBodiesFor` has kept its body. One with a key runs out of its order, but beside no other of its key.
   *
   * @throws ListenerConfigError for a name that is none, and for unknown or invalid options.
   */
  again(job?: JobName, options?: MendOptions): Promise<Mended>
  /**
   * Deletes jobs and what is remembered of their events, so that the sender's next delivery of them runs. One that waits never runs unless it
   * is sent again. One that runs is left alone.
   *
   * @throws ListenerConfigError for a name that is none, and for unknown or invalid options.
   */
  forget(job: JobName, options?: MendOptions): Promise<Mended>
  /** For each listener whose jobs are due: how long the first of them has been. Reads little, so that a gauge may ask often. */
  oldest(): Promise<readonly OldestJob[]>
  /** Counts the jobs of all listeners. Reads the whole table, so call it for a look, not for each request. */
  counts(): Promise<InboxCounts>
}

const OPTIONS: OptionTable<InboxOptions> = {
  table: checkedElsewhere,
  leaseMs: optional(timerMilliseconds),
  maxAttempts: optional(positiveInteger),
  retentionMs: optional(positiveInteger),
  keepBodiesFor: optional(positiveInteger),
  keyOf: optional(aFunction),
  afterDead: optional(oneOfWords('continue', 'hold')),
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

const notOfDrain =
  (mend: string): OptionCheck =>
  (value, option) => {
    if (value !== undefined) throw new ListenerConfigError(option, `is an option of work(): ${mend}`)
  }

const DRAIN_OPTIONS: OptionTable<DrainOptions & WorkOptions> = {
  ...WORK_OPTIONS,
  deadlineMs(value, option) {
    if (value === undefined || isTimer(value)) return
    throw new ListenerConfigError(
      option,
      'must be how many milliseconds drain() may take from now on, from 1 to 2,147,483,647, such as 50_000: not a time of Date.now(), and with none left, do not call it',
    )
  },
  pollMs: notOfDrain('drain() returns once nothing is due, so leave it out'),
  drainMs: notOfDrain('drain() takes deadlineMs, from its call on'),
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
  const { table = DEFAULT_TABLE, leaseMs = 60_000, retentionMs = 0 } = options
  const maxAttempts = Math.min(options.maxAttempts ?? 10, MOST)
  const run = statementRunner(client, 'client')
  bring(SQL_FIXES)
  const statements = statementsFor(table, {
    keepMs: options.keepBodiesFor ?? 0,
    hasKeys: options.keyOf !== undefined,
    deadHold: options.afterDead === 'hold',
  })
  const listed = new ListedJobs(run, table)
  const mended = new MendedJobs(run, table)
  /** The workers and drains of each listener in this process. */
  const workers = new Map<string, Set<Sleeper>>()
  const onJob = (listenerId: string, put?: string) => {
    for (const worker of workers.get(listenerId) ?? []) worker.wake(put)
  }
  const woken = (found: Mended) => {
    for (const listenerId of workers.keys()) onJob(listenerId)
    return found
  }
  const isWorked = (listenerId: string) => (workers.get(listenerId)?.size ?? 0) > 0
  /** Returns what forgets it again. */
  const wakeForJobs = (listenerId: string, sleeper: Sleeper) => {
    const sleepers = workers.get(listenerId) ?? new Set()
    workers.set(listenerId, sleepers.add(sleeper))
    return () => {
      sleepers.delete(sleeper)
      if (sleepers.size === 0) workers.delete(listenerId)
    }
  }
  const unasked = new UnaskedJobs({ run, statements, isWorked })
  const claims = new Claims({ run, statements, unasked, keyOf: options.keyOf, onJob })
  const probe = new Probe({ run, statements })
  const sweeper = new Sweeper({ run, statements })
  const common = { run, statements, sweeper, leaseMs, retentionMs, maxAttempts }
  return {
    store: claims,
    put: (event, given) => claims.put(event, given),
    async migrate() {
      await migrateInbox(run, table)
    },
    check: async (given = {}) => [
      ...(await problemsOf(run, client, needsOf(table), given)),
      ...(await unfinishedIn(run, table)),
    ],
    work(listener, handler, given = {}) {
      checkRun('work', listener, handler, given, WORK_OPTIONS)
      const { pollMs = 1000, drainMs = 25_000 } = given
      const worker = new Worker({ ...common, ...runOptionsOf(given), listener, handler, pollMs, drainMs })
      const forget = wakeForJobs(listener.id, worker)
      return {
        stop() {
          forget()
          return worker.stop()
        },
      }
    },
    async drain(listener, handler, given = {}) {
      checkRun('drain', listener, handler, given, DRAIN_OPTIONS)
      const { deadlineMs = 25_000 } = given
      const drainer = new Drainer({
        ...common,
        ...runOptionsOf(given),
        probe,
        listener,
        handler,
        deadlineMs,
      })
      const forget = wakeForJobs(listener.id, drainer)
      unasked.onDrain(listener.id)
      try {
        return await drainer.drained()
      } finally {
        forget()
      }
    },
    list: async (given = {}) => listed.list(given),
    get: async (job, given = {}) => listed.get(job, given),
    again: async (job, given = {}) => woken(await mended.again(job, given)),
    forget: async (job, given = {}) => woken(await mended.forget(job, given)), // the next one of its key is due
    oldest: () => oldestOf(run, table),
    async counts() {
      const [counted] = await recordsOf(run, statements.counts, [])
      return countsIn(counted)
    },
  }
}

/** More jobs or attempts than there will ever be, and twice of it still is an `int` of Postgres. */
const MOST = 1_000_000_000

/** What a new job wakes. */
interface Sleeper {
  /** @param put Its key. */
  wake(put?: string): void
}

const needsOf = (table: string): TableNeeds => ({
  table,
  indexed: {}, // all are partial: `unfinishedIn` looks for them
  rights: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  migrate: 'box.migrate()',
})

function checkRun(
  caller: string,
  listener: unknown,
  handler: unknown,
  options: object,
  table: OptionTable<WorkOptions>,
): void {
  if (!isListener(listener))
    throw new ListenerConfigError('listener', 'must be the result of defineListener()')
  aFunction(handler, 'handler')
  checkOptions(caller, options, table)
}

function runOptionsOf({ concurrency = 10, maxRunMs = 900_000, onError, ...given }: WorkOptions) {
  const { random = Math.random } = given
  const { delayMs = (attempt: number) => backoff(attempt, random) } = given
  return { concurrency: Math.min(concurrency, MOST), maxRunMs, onError, random, delayMs }
}

const FIRST_DELAY_MS = 5000
const LONGEST_DELAY_MS = 3_600_000

function backoff(attempt: number, random: () => number): number {
  return Math.min(FIRST_DELAY_MS * 3 ** (attempt - 1), LONGEST_DELAY_MS) * (0.5 + random() / 2)
}
