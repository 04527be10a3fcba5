import { EventStoreError, ListenerConfigError } from '../../errors.ts'
import {
  type ClaimAnswer,
  type CommitAnswer,
  type EventKey,
  type EventStore,
  eventKeyText,
} from '../../event-store.ts'
import { withDeadline } from '../../lib/clock.ts'
import { memberOf } from '../../lib/member-of.ts'
import { hasMethod } from '../../lib/options.ts'
import type { PostgresClient } from './client.ts'
import { Door, TransactionOverError } from './door.ts'

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
 * An event store that opens a transaction for each event.
 *
 * @example
 * ```ts
 * import type { PoolClient } from 'pg'
 *
 * const store = postgresStore(pool)
 * const events: EventTransactions<PoolClient> = store.transactionPerEvent({ connect: () => pool.connect() })
 *
 * async function pay(event: WebhookEvent) {
 *   await events.transactionOf(event).query('INSERT INTO payments …')
 *   await event.commit()
 * }
 * ```
 */
export interface EventTransactions<Tx extends PostgresClient> extends EventStore {
  /**
   * Returns the client of an event's open transaction, for the event that `verify()` or an adapter returned. It works until you
   * commit or release the event, or its lease ends. From then on, each statement fails with the code `ERR_TRANSACTION_OVER` and
   * reaches no server, whenever it was built. Its connection is returned for you: its `release()` does nothing.
   *
   * @throws TransactionOverError if the event is settled or its lease has ended. TypeError if its scheme claims nothing
   * (`dedupe: 'off'`), and for a copy of the event.
   */
  transactionOf(event: object): Tx
}

/** @throws ListenerConfigError for anything without `connect` or `begin`. */
export function checkSource(source: unknown): void {
  if (hasMethod(source, 'connect') || hasMethod(source, 'begin')) return
  throw new ListenerConfigError(
    'source',
    'must have a method connect() or begin(), such as { connect: () => pool.connect() }',
  )
}

/**
 * Opens a transaction with the claim and ends it with the commit or the release. Rolls it back when the lease ends, so that a
 * handler that hangs keeps neither locks nor a connection.
 */
export class TransactionPerEvent<Tx extends PostgresClient> implements EventTransactions<Tx> {
  readonly replayWindowSeconds: number
  readonly #transact: (work: Work<Tx>) => Promise<unknown>
  readonly #inside: (tx: Tx) => EventStore
  /** By owner, because an event may have two keys, which share one transaction. */
  readonly #open = new Map<string, OpenTransaction<Tx>>()
  readonly #ofEvents = new WeakMap<object, OpenTransaction<Tx>>()

  /** @param inside The store in a transaction. */
  constructor(
    source: TransactionSource<Tx>,
    inside: (tx: Tx) => EventStore,
    singleSeconds: number | undefined,
  ) {
    this.#transact = async (work) => ('begin' in source ? onClient(source, work) : onConnection(source, work))
    this.#inside = inside
    this.replayWindowSeconds = singleSeconds ?? Infinity
  }

  claim(key: EventKey, owner: string, leaseMs: number, retentionMs?: number): Promise<ClaimAnswer> {
    const open = this.#open.get(owner)
    if (open) return open.claim(key, owner, leaseMs, retentionMs)
    return new Promise((answer, fail) => {
      let opened: OpenTransaction<Tx> | undefined
      const over = this.#transact(async (tx, door) => {
        // A second run would commit the record without the handler's writes.
        if (opened) throw new EventStoreError('begin() ran its work a second time')
        opened = new OpenTransaction(tx, door, this.#inside, () => over)
        const claimed = await opened.claim(key, owner, leaseMs, retentionMs)
        if (claimed !== 'acquired') return answer(claimed)
        this.#open.set(owner, opened)
        answer(claimed)
        await opened.untilSettled(leaseMs).finally(() => this.#open.delete(owner))
      })
      const ended = (error: unknown) => {
        if (opened?.abandon(error)) this.#open.delete(owner)
        fail(error)
      }
      over.then(() => ended(new EventStoreError('begin() did not run its work')), ended)
    })
  }

  accepted(event: object, owner: string): void {
    const open = this.#open.get(owner)
    if (open) this.#ofEvents.set(event, open)
  }

  async commit(key: EventKey, owner: string, retentionMs: number): Promise<CommitAnswer> {
    return this.#open.get(owner)?.commit(key, owner, retentionMs) ?? 'lost'
  }

  async release(key: EventKey, owner: string): Promise<boolean> {
    return this.#open.get(owner)?.release(key) ?? false
  }

  transactionOf(event: object): Tx {
    const open = this.#ofEvents.get(event)
    if (open?.isOpen) return open.tx
    if (open) throw new TransactionOverError()
    throw new TypeError(
      'this event has no transaction: pass the event itself, of a listener with this store and a scheme that claims events',
    )
  }
}

/** In milliseconds. Timers hold 31 bits; a longer one fires at once. */
const LONGEST_TIMER_MS = 2_147_483_647

class OpenTransaction<Tx extends PostgresClient> {
  /** For the handler. */
  readonly tx: Tx
  /** Lets the store's own statements through, until COMMIT or ROLLBACK. */
  readonly #door: Door
  /** Lets the handler's statements through, until it commits or releases the event. */
  readonly #handlersDoor: Door
  readonly #store: EventStore
  readonly #over: () => Promise<unknown>
  /** The event's keys that are claimed but not committed. */
  readonly #uncommitted = new Set<string>()
  #state: 'open' | 'committing' | 'rolled-back' = 'open'
  #lease: ReturnType<typeof setTimeout> | undefined
  #settle: (how: 'commit' | RolledBack) => void = () => {}

  /** @param over Resolves when the transaction is committed, rejects when it is rolled back. */
  constructor(tx: Tx, door: Door, inside: (tx: Tx) => EventStore, over: () => Promise<unknown>) {
    this.#door = door
    this.#handlersDoor = new Door(door)
    this.tx = this.#handlersDoor.lend(tx)
    this.#store = inside(this.#door.lend(tx))
    this.#over = over
  }

  get isOpen(): boolean {
    return !this.#handlersDoor.isClosed
  }

  async claim(
    key: EventKey,
    owner: string,
    leaseMs: number,
    retentionMs: number | undefined,
  ): Promise<ClaimAnswer> {
    const answer = await this.#store.claim(key, owner, leaseMs, retentionMs)
    if (answer === 'acquired') this.#uncommitted.add(eventKeyText(key))
    return answer
  }

  /** Resolves to commit the transaction, rejects to roll it back. */
  untilSettled(leaseMs: number): Promise<void> {
    return new Promise((commit, rollBack) => {
      this.#lease = setTimeout(() => this.#rollBack('lease'), Math.min(leaseMs, LONGEST_TIMER_MS))
      this.#settle = (how) => (how === 'commit' ? commit() : rollBack(how))
    })
  }

  async commit(key: EventKey, owner: string, retentionMs: number): Promise<CommitAnswer> {
    this.#handlersDoor.close()
    await this.#handlersDoor.left()
    if (this.#state === 'open') await this.#record(key, owner, retentionMs)
    try {
      await this.#over()
    } catch (error) {
      if (error instanceof RolledBack) return 'lost'
      throw error
    }
    if (this.#state === 'committing') return 'committed'
    throw new EventStoreError('begin() ended before its work')
  }

  /** Records one key as done, and ends the transaction with the last. */
  async #record(key: EventKey, owner: string, retentionMs: number): Promise<void> {
    try {
      // Fails if a statement of the handler has failed, even if the handler ignored that.
      const answer = await this.#store.commit(key, owner, retentionMs)
      if (answer !== 'committed') this.#rollBack('release')
    } catch (error) {
      this.#rollBack('release')
      this.#uncommitted.clear()
      throw error
    }
    this.#uncommitted.delete(eventKeyText(key))
    if (this.#uncommitted.size === 0) this.#end('committing', 'commit')
  }

  /** Rolls back all keys of the event. Returns whether this one was held. */
  async release(key: EventKey): Promise<boolean> {
    const isHeld = this.#uncommitted.delete(eventKeyText(key)) && this.#state !== 'committing'
    this.#rollBack('release')
    await this.#over().catch(() => {}) // without its connection, the server rolls back by itself
    return isHeld
  }

  /** For a transaction that has ended, perhaps by itself, because its connection broke. Returns whether it was open. */
  abandon(cause: unknown): boolean {
    const wasOpen = this.#state === 'open'
    this.#rollBack('lease')
    this.#door.fail(cause)
    return wasOpen
  }

  #rollBack(why: 'release' | 'lease'): void {
    if (this.#state === 'open' && why === 'lease') this.#uncommitted.clear()
    this.#end('rolled-back', new RolledBack(why))
  }

  #end(state: 'committing' | 'rolled-back', how: 'commit' | RolledBack): void {
    if (this.#state !== 'open') return
    this.#state = state
    clearTimeout(this.#lease)
    this.#door.close()
    this.#handlersDoor.close()
    this.#settle(how)
  }
}

class RolledBack extends Error {
  readonly why: 'release' | 'lease'

  constructor(why: 'release' | 'lease') {
    super(why === 'lease' ? 'the lease of the event has ended' : 'the event was released')
    this.why = why
  }
}

/** What runs in a transaction, and the door of its statements. Resolves to commit, rejects to roll back. */
type Work<Tx> = (tx: Tx, door: Door) => Promise<void>

/** Runs `work` in a transaction of the client, which keeps the connection. So what runs there ends before the ROLLBACK. */
async function onClient<Tx>(
  source: { begin(work: (tx: Tx) => Promise<void>): PromiseLike<unknown> },
  work: Work<Tx>,
): Promise<void> {
  const door = new Door()
  let isOver = false
  const working = (tx: Tx) =>
    work(tx, door).catch(async (error: unknown) => {
      if (error instanceof RolledBack) await door.idle()
      await new Promise((resolve) => setTimeout(resolve, 0)) // if the connection broke, `begin` says so first
      if (isOver) await new Promise(() => {}) // postgres.js would send ROLLBACK on its next connection, into another transaction
      throw error
    })
  await Promise.resolve(source.begin(working)).finally(() => {
    isOver = true
  })
}

/** How long COMMIT and ROLLBACK may take. After that, their connection is closed. */
const LONGEST_END_MS = 5000

/** Runs `work` in a transaction on a connection of its own. */
async function onConnection<Connection extends PostgresConnection>(
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
    await work(connection, door)
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
