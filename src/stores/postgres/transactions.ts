import { EventStoreError, ListenerConfigError } from '../../errors.ts'
import { withDeadline } from '../../lib/clock.ts'
import { memberOf } from '../../lib/member-of.ts'
import { hasMethod } from '../../lib/options.ts'
import { ormOf } from '../orms.ts'
import { type PostgresClient, type PostgresUnsafeClient, type Row, statementRunner } from './client.ts'
import { Door } from './door.ts'
import { FORCE_ROLLBACK, ROLLBACK_AND_CHAIN, WRITE_NOTHING } from './statements.ts'

/** A connection that a pool lends: pg's PoolClient, or neon's. */
export interface PostgresConnection {
  query(text: string): PromiseLike<unknown>
  /** Returns the connection to its pool. `true` closes it. */
  release(close?: boolean): void
}

/**
 * Where `transactionPerEvent` gets its transactions: from a connection of a pool, or from your client's own function, which
 * commits if the promise of `work` resolves and rolls back if it rejects.
 *
 * @example
 * ```ts
 * import type { PoolClient } from 'pg'
 * import postgres, { type TransactionSql } from 'postgres'
 *
 * const sql = postgres()
 * const ofPg: TransactionSource<PoolClient> = { connect: () => pool.connect() }
 * const ofPostgresJs: TransactionSource<TransactionSql> = { begin: (work) => sql.begin(work) }
 * ```
 */
export type TransactionSource<Tx extends PostgresClient> =
  | { connect(): PromiseLike<Tx & PostgresConnection> }
  | { begin(work: (tx: Tx) => Promise<void>): PromiseLike<unknown> }

/**
 * The transactions of an ORM, and how a statement runs in one of them. Name the type of the transaction, which cannot be inferred.
 *
 * @example
 * ```ts
 * interface Tx {
 *   raw(text: string, values: string[]): Promise<unknown>
 * }
 * declare const orm: { transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> }
 *
 * const source: OrmTransactions<Tx> = {
 *   begin: (work) => orm.transaction(work),
 *   executor: (tx) => ({ query: (text, values) => tx.raw(text, values) }),
 * }
 * ```
 */
export interface OrmTransactions<Tx extends object> {
  /**
   * Runs `work` in a new transaction, once. Commits if it resolves, and resolves with its result. Rolls back if it rejects, and
   * rejects.
   */
  begin<Result>(work: (tx: Tx) => Promise<Result>): PromiseLike<Result>
  /** Returns what runs a statement with `$1`, `$2` … in this transaction: `{ query(text, values) }`. */
  executor(tx: Tx): PostgresClient
}

/** @throws ListenerConfigError for anything without `connect` or `begin`. */
export function checkSource(source: unknown): void {
  const isOrm = ormOf(source) !== undefined
  if (!isOrm && (hasMethod(source, 'connect') || hasMethod(source, 'begin'))) return
  throw new ListenerConfigError(
    'source',
    isOrm
      ? 'must have the methods begin(work) and executor(tx): see docs/idempotent.md for those of your ORM'
      : 'must have a method connect() or begin(), such as { connect: () => pool.connect() }',
  )
}

/** Why a transaction was rolled back. */
export class RolledBack extends Error {
  readonly why: 'release' | 'lease'

  constructor(why: 'release' | 'lease') {
    super(why === 'lease' ? 'the lease of the event has ended' : 'the event was released')
    this.why = why
  }
}

/** A transaction that has begun. */
export interface Begun<Tx> {
  /** The door of its statements. */
  readonly door: Door
  /** Runs the statements of the store. */
  readonly client: PostgresClient
  /** Makes what the handler gets. */
  lend(door: Door): Tx
  /** Commits what was written so far, for a client whose own COMMIT cannot be trusted. */
  commit?: (() => Promise<void>) | undefined
}

/** What runs in a transaction. Resolves to commit, rejects to roll back. */
export type Work<Tx> = (begun: Begun<Tx>) => Promise<void>

/** Runs `work` in a new transaction. Resolves once that is committed, rejects once it is rolled back. */
export async function transact<Tx extends object>(
  source: OrmTransactions<Tx> | TransactionSource<Tx & PostgresClient>,
  work: Work<Tx>,
): Promise<void> {
  if ('executor' in source) return onOrm(source, work)
  return 'begin' in source ? onClient(source, work) : onConnection(source, work)
}

/** Runs `work` in a transaction of the client, which keeps the connection. So what runs there ends before the ROLLBACK. */
async function onClient<Tx extends PostgresClient>(
  source: { begin(work: (tx: Tx) => Promise<void>): PromiseLike<unknown> },
  work: Work<Tx>,
): Promise<void> {
  await withoutLateRollback(source, (tx, door) =>
    work({ door, client: tx, lend: (handlersDoor) => handlersDoor.lend(tx), commit: commitOf(tx) }),
  )
}

/**
 * For postgres.js, also within Drizzle. It sends COMMIT as a named statement, which a pooler such as PgBouncer may send on a connection
 * that does not know it. That fails the transaction, postgres.js repeats the COMMIT, the server rolls back, and `begin` resolves.
 */
function commitOf(tx: object): Begun<object>['commit'] {
  const isUnsafe = (client: unknown): client is PostgresUnsafeClient => hasMethod(client, 'unsafe')
  const client = [tx, memberOf(memberOf(tx, 'session'), 'client')].find(isUnsafe)
  if (client === undefined) return undefined
  return async () => {
    const result = await client.unsafe('COMMIT AND CHAIN', [])
    if (memberOf(result, 'command') === 'ROLLBACK')
      throw new EventStoreError('the server rolled the transaction back')
  }
}

/**
 * Resolves with what `begin` resolves with.
 *
 * @param spoil Makes the server roll back, even if `begin` hides that `work` has failed.
 */
async function withoutLateRollback<Tx, Result>(
  source: { begin(work: (tx: Tx) => Promise<Result>): PromiseLike<unknown> },
  work: (tx: Tx, door: Door) => Promise<Result>,
  spoil?: (tx: Tx) => Promise<Result>,
): Promise<unknown> {
  const door = new Door()
  const begun = { hasResolved: false, hasRejected: false }
  const working = async (tx: Tx) => {
    try {
      return await work(tx, door)
    } catch (error) {
      if (error instanceof RolledBack) await door.idle()
      await new Promise((resolve) => setTimeout(resolve, 0)) // if the connection broke, `begin` says so first
      // postgres.js would send ROLLBACK on its next connection, into another transaction.
      if (begun.hasRejected || (begun.hasResolved && !spoil)) await new Promise(() => {})
      const spoiled = await spoil?.(tx)
      if (begun.hasResolved && spoiled !== undefined) return spoiled // an error that nobody hears would end the process
      throw error
    }
  }
  try {
    const result = await source.begin(working)
    begun.hasResolved = true
    return result
  } catch (error) {
    begun.hasRejected = true
    throw error
  }
}

/** The promise of `begin` cannot be trusted: the event would be done, or undone, without its effects. */
export class BeginError extends EventStoreError {}

/** Runs `work` in a transaction of an ORM, which passes through code of the developer. */
async function onOrm<Tx extends object>(source: OrmTransactions<Tx>, work: Work<Tx>): Promise<void> {
  const finished = {} // only `work` can tell it to `begin`
  const executorOf = (tx: Tx) => {
    const client = isObject(tx) && source.executor(tx)
    if (isObject(client)) return client
    throw new BeginError(
      'begin() must pass its transaction to work(tx), and executor(tx) must return { query(text, values) }',
    )
  }
  let isOver = false
  const result = await withoutLateRollback<Tx, object>(
    source,
    async (tx, door) => {
      if (isOver) return finished
      const lend = (handlersDoor: Door) => handlersDoor.lendMembers(tx)
      await work({ door, client: executorOf(tx), lend, commit: commitOf(tx) })
      return finished
    },
    async (tx) => {
      const ask = async (statement: string) => statementRunner(executorOf(tx), 'executor')(statement, [])
      await rollBackForGood(ask)
        .catch(() => ask(FORCE_ROLLBACK)) // a statement has failed in between, or the ORM runs no ROLLBACK as a statement
        .catch(() => {})
      return finished
    },
  ).finally(() => {
    isOver = true
  })
  if (result === finished) return
  throw new BeginError(
    'begin() must resolve with what its work resolved with: return the promise of the transaction, and catch no error',
  )
}

const MOST_ATTEMPTS = 5

/**
 * Undoes the transaction, so that nothing is kept of what comes after it either, even if its client says COMMIT at the end.
 *
 * @throws if that did not work.
 */
async function rollBackForGood(ask: (statement: string) => Promise<readonly Row[]>): Promise<void> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    await ask(ROLLBACK_AND_CHAIN)
    const [row] = await ask(WRITE_NOTHING)
    if (row?.answer === 'unwritten') return // otherwise, a statement of the handler came in between
  }
  throw new EventStoreError(`statements of the handler came in between ${MOST_ATTEMPTS} times`)
}

const isObject = <Value>(value: Value): value is Value & object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function'

/** How long COMMIT and ROLLBACK may take. After that, their connection is closed. */
const LONGEST_END_MS = 5000

/** Runs `work` in a transaction on a connection of its own. */
async function onConnection<Connection extends PostgresClient & PostgresConnection>(
  source: { connect(): PromiseLike<Connection> },
  work: Work<Connection>,
): Promise<void> {
  const connection = await source.connect()
  const door = new Door()
  const unlisten = swallowErrors(connection)
  let closes = true
  let isStuck = false
  const end = async (statement: 'COMMIT' | 'ROLLBACK') => {
    const late = () => {
      isStuck = true
      return new EventStoreError(`${statement} took longer than ${LONGEST_END_MS} ms`)
    }
    const result = await withDeadline(connection.query(statement), LONGEST_END_MS, late)
    // The answer to the COMMIT of a transaction in which a statement has failed.
    if (statement === 'COMMIT' && memberOf(result, 'command') === 'ROLLBACK')
      throw new EventStoreError('the server rolled the transaction back')
  }
  try {
    await connection.query('BEGIN')
    await work({ door, client: connection, lend: (handlersDoor) => handlersDoor.lend(connection) })
    await end('COMMIT')
    closes = door.isBypassed
  } catch (error) {
    // The next event on this connection would wait for a statement of this one.
    const mayStillRun =
      isStuck || door.isBypassed || (error instanceof RolledBack && (error.why === 'lease' || door.isBusy))
    if (!mayStillRun)
      closes = await end('ROLLBACK').then(
        () => false,
        () => true,
      )
    throw error
  } finally {
    unlisten()
    connection.release(closes)
  }
}

/** A broken connection of pg emits `error`, which ends the process without a listener. Its next statement fails anyway. */
function swallowErrors(connection: object): () => void {
  const ignore = () => {}
  const listen = (method: string) => {
    if (hasMethod(connection, method)) Reflect.get(connection, method).call(connection, 'error', ignore)
  }
  listen('on')
  return () => listen('off')
}
