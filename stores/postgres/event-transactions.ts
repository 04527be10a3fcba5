import { EventStoreError, ListenerConfigError } from '../../src/errors.ts'
import {
  type ClaimAnswer,
  type CommitAnswer,
  type EventKey,
  type EventStore,
  eventKeyText,
} from '../../src/event-store.ts'
import { hasMethod } from '../../src/lib/options.ts'
import type { PostgresClient } from './client.ts'

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
   * Returns the open transaction of an event, as `verify()` or an adapter returned it. Use it until you commit or release the
   * event, never afterwards.
   *
   * @throws TypeError if the event is settled, if its lease has ended, if its scheme claims nothing (`dedupe: 'off'`), or
   * for a copy of the event.
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
  readonly #transact: (work: (tx: Tx) => Promise<void>) => Promise<unknown>
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
    this.#transact = async (work) => ('begin' in source ? source.begin(work) : onConnection(source, work))
    this.#inside = inside
    this.replayWindowSeconds = singleSeconds ?? Infinity
  }

  claim(key: EventKey, owner: string, leaseMs: number): Promise<ClaimAnswer> {
    const open = this.#open.get(owner)
    if (open) return open.claim(key, owner, leaseMs)
    return new Promise((answer, fail) => {
      let begun = false
      const over = this.#transact(async (tx) => {
        // A second run would commit the record without the handler's writes.
        if (begun) throw new EventStoreError('begin() ran its work a second time')
        begun = true
        const opened = new OpenTransaction(tx, this.#inside(tx), () => over)
        const claimed = await opened.claim(key, owner, leaseMs)
        if (claimed !== 'acquired') return answer(claimed)
        this.#open.set(owner, opened)
        answer(claimed)
        await opened.untilSettled(leaseMs).finally(() => this.#open.delete(owner))
      })
      over.then(() => fail(new EventStoreError('begin() did not run its work')), fail)
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
    throw new TypeError(
      open
        ? 'the transaction of this event has ended: it was committed, released, or open for longer than leaseSeconds'
        : 'this event has no transaction: pass the event itself, of a listener with this store and a scheme that claims events',
    )
  }
}

/** In milliseconds. Timers hold 31 bits; a longer one fires at once. */
const LONGEST_TIMER_MS = 2_147_483_647

class OpenTransaction<Tx> {
  readonly tx: Tx
  readonly #store: EventStore
  readonly #over: () => Promise<unknown>
  /** The event's keys that are claimed but not committed. */
  readonly #uncommitted = new Set<string>()
  #state: 'open' | 'committing' | 'rolled-back' = 'open'
  #settle: (why: 'commit' | RolledBack) => void = () => {}

  /** @param over Resolves when the transaction is committed, rejects when it is rolled back. */
  constructor(tx: Tx, store: EventStore, over: () => Promise<unknown>) {
    this.tx = tx
    this.#store = store
    this.#over = over
  }

  get isOpen(): boolean {
    return this.#state === 'open'
  }

  async claim(key: EventKey, owner: string, leaseMs: number): Promise<ClaimAnswer> {
    const answer = await this.#store.claim(key, owner, leaseMs)
    if (answer === 'acquired') this.#uncommitted.add(eventKeyText(key))
    return answer
  }

  /** Resolves to commit the transaction, rejects to roll it back. */
  untilSettled(leaseMs: number): Promise<void> {
    return new Promise((commit, rollBack) => {
      const lease = setTimeout(() => this.#rollBack('lease'), Math.min(leaseMs, LONGEST_TIMER_MS))
      this.#settle = (how) => {
        clearTimeout(lease)
        if (how === 'commit') commit()
        else rollBack(how)
      }
    })
  }

  async commit(key: EventKey, owner: string, retentionMs: number): Promise<CommitAnswer> {
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
    if (this.#uncommitted.size === 0 && this.#state === 'open') {
      this.#state = 'committing'
      this.#settle('commit')
    }
    try {
      await this.#over()
      return 'committed'
    } catch (error) {
      if (error instanceof RolledBack) return 'lost'
      throw error
    }
  }

  /** Rolls back all keys of the event. Returns whether this one was held. */
  async release(key: EventKey): Promise<boolean> {
    const isHeld = this.#uncommitted.delete(eventKeyText(key)) && this.#state !== 'committing'
    this.#rollBack('release')
    await this.#over().catch(() => {}) // without its connection, the server rolls back by itself
    return isHeld
  }

  #rollBack(why: 'release' | 'lease'): void {
    if (this.#state !== 'open') return
    this.#state = 'rolled-back'
    if (why === 'lease') this.#uncommitted.clear()
    this.#settle(new RolledBack(why))
  }
}

class RolledBack extends Error {
  readonly why: 'release' | 'lease'

  constructor(why: 'release' | 'lease') {
    super(why === 'lease' ? 'the lease of the event has ended' : 'the event was released')
    this.why = why
  }
}

/** Runs `work` in a transaction on a connection of its own. */
async function onConnection<Connection extends PostgresConnection>(
  source: { connect(): PromiseLike<Connection> },
  work: (tx: Connection) => Promise<void>,
): Promise<void> {
  const connection = await source.connect()
  const unlisten = swallowErrors(connection)
  let closes = true
  try {
    await connection.query('BEGIN')
    await work(connection)
    await connection.query('COMMIT')
    closes = false
  } catch (error) {
    // After its lease, the handler may still be running, and must not write outside the transaction.
    const mayStillRun = error instanceof RolledBack && error.why === 'lease'
    if (!mayStillRun)
      closes = await connection.query('ROLLBACK').then(
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
