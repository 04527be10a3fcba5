import { EventStoreError, LeaseLostError } from '../../errors.ts'
import {
  type ClaimAnswer,
  type CommitAnswer,
  type EventKey,
  type EventStore,
  eventKeyText,
} from '../../event-store.ts'
import type { PostgresClient } from './client.ts'
import { Door, TransactionOverError } from './door.ts'
import {
  BeginError,
  type Begun,
  type OrmTransactions,
  RolledBack,
  type TransactionSource,
  transact,
  type Work,
} from './transactions.ts'

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
export interface EventTransactions<Tx> extends EventStore {
  /**
   * Returns the client of an event's open transaction, for the event that `verify()` or an adapter returned. It works until you
   * commit or release the event, or its lease ends. From then on, each statement fails with the code `ERR_TRANSACTION_OVER` and
   * reaches no server, whenever it was built. Its connection is returned for you: its `release()` does nothing.
   *
   * The transaction of an ORM throws that error from then on, whatever you read or call. It has no power over what you took from it
   * before, e.g. a statement that was built but not run, or a repository: those end as the ORM ends them.
   *
   * @throws TransactionOverError if the event is settled or its lease has ended. TypeError if its scheme claims nothing
   * (`dedupe: 'off'`), and for a copy of the event.
   */
  transactionOf(event: object): Tx
}

/**
 * Opens a transaction with the claim and ends it with the commit or the release. Rolls it back when the lease ends, so that a
 * handler that hangs keeps neither locks nor a connection.
 */
export class TransactionPerEvent<Tx extends object> implements EventTransactions<Tx> {
  readonly replayWindowSeconds: number
  readonly #transact: (work: Work<Tx>) => Promise<unknown>
  readonly #inside: (client: PostgresClient) => EventStore
  /** By owner, because an event may have two keys, which share one transaction. */
  readonly #open = new Map<string, OpenTransaction<Tx>>()
  readonly #ofEvents = new WeakMap<object, OpenTransaction<Tx>>()

  /** @param inside The store in a transaction. */
  constructor(
    source: OrmTransactions<Tx> | TransactionSource<Tx & PostgresClient>,
    inside: (client: PostgresClient) => EventStore,
    singleSeconds: number | undefined,
  ) {
    this.#transact = (work) => transact(source, work)
    this.#inside = inside
    this.replayWindowSeconds = singleSeconds ?? Infinity
  }

  claim(key: EventKey, owner: string, leaseMs: number, retentionMs?: number): Promise<ClaimAnswer> {
    const open = this.#open.get(owner)
    if (open) return open.claim(key, owner, leaseMs, retentionMs)
    return new Promise((answer, fail) => {
      let opened: OpenTransaction<Tx> | undefined
      const over = this.#transact(async (begun) => {
        // A second run would commit the record without the handler's writes.
        if (opened) throw new EventStoreError('begin() ran its work a second time')
        opened = new OpenTransaction(begun, this.#inside, () => over)
        const claimed = await opened.claim(key, owner, leaseMs, retentionMs)
        if (claimed !== 'acquired') return answer(claimed)
        this.#open.set(owner, opened)
        answer(claimed)
        await opened.untilSettled(leaseMs, () => this.#open.delete(owner))
        await begun.commit?.()
      })
      const ended = (error: unknown) => {
        opened?.abandon(error)
        fail(error)
      }
      const resolved = () => {
        // No error on the usual way: each takes a stack trace.
        if (!opened?.isCommitting) ended(new EventStoreError('begin() did not run its work'))
      }
      over.then(resolved, ended)
    })
  }

  accepted(event: object, owner: string): void {
    const open = this.#open.get(owner)
    if (open) this.#ofEvents.set(event, open)
  }

  /** Throws where other stores answer `lost`: what the handler wrote is gone, so it must not answer 2xx. */
  async commit(key: EventKey, owner: string, retentionMs: number): Promise<CommitAnswer> {
    const open = this.#open.get(owner)
    if (open) return open.commit(key, owner, retentionMs)
    throw tooLate('the transaction of the event has ended: by its lease, a release, or an earlier commit')
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

class OpenTransaction<Tx extends object> {
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
  #forget: () => void = () => {}

  /** @param over Resolves when the transaction is committed, rejects when it is rolled back. */
  constructor(
    { door, client, lend }: Begun<Tx>,
    inside: (client: PostgresClient) => EventStore,
    over: () => Promise<unknown>,
  ) {
    this.#door = door
    this.#handlersDoor = new Door(door)
    this.tx = lend(this.#handlersDoor)
    this.#store = inside(door.lend(client))
    this.#over = over
  }

  get isOpen(): boolean {
    return !this.#handlersDoor.isClosed
  }

  get isCommitting(): boolean {
    return this.#state === 'committing'
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

  /**
   * Resolves to commit the transaction, rejects to roll it back.
   *
   * @param forget Called once the event is settled or its lease has ended. Until then, the commit of a transaction that ended by itself
   * says why.
   */
  untilSettled(leaseMs: number, forget: () => void): Promise<void> {
    const lapse = () => {
      this.#rollBack('lease')
      forget()
    }
    return new Promise((commit, rollBack) => {
      this.#forget = forget
      this.#lease = setTimeout(lapse, Math.min(leaseMs, LONGEST_TIMER_MS))
      this.#settle = (how) => (how === 'commit' ? commit() : rollBack(how))
    })
  }

  async commit(key: EventKey, owner: string, retentionMs: number): Promise<CommitAnswer> {
    this.#handlersDoor.close()
    await this.#handlersDoor.left()
    try {
      if (this.#state === 'open') await this.#record(key, owner, retentionMs)
      await this.#over()
    } catch (error) {
      throw error instanceof RolledBack ? tooLate(`all was rolled back, because ${error.message}`) : error
    } finally {
      this.#forgetSettled()
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
    try {
      await this.#over()
    } catch (error) {
      if (error instanceof BeginError) throw error // without its connection, the server rolls back by itself
    } finally {
      this.#forgetSettled()
    }
    return isHeld
  }

  /** For a transaction that has ended, perhaps by itself, because its connection broke. */
  abandon(cause: unknown): void {
    this.#rollBack('lease')
    this.#door.fail(cause)
  }

  /** An event of two keys is settled with the second. */
  #forgetSettled(): void {
    if (this.#state === 'open') return
    clearTimeout(this.#lease)
    this.#forget()
  }

  #rollBack(why: 'release' | 'lease'): void {
    if (this.#state !== 'open') return
    if (why === 'lease') this.#uncommitted.clear()
    this.#end('rolled-back', new RolledBack(why))
  }

  #end(state: 'committing' | 'rolled-back', how: 'commit' | RolledBack): void {
    if (this.#state !== 'open') return
    this.#state = state
    this.#door.close()
    this.#handlersDoor.close()
    this.#settle(how)
  }
}

const tooLate = (why: string) =>
  new LeaseLostError('ERR_LEASE_LOST', `the commit came too late, and changed nothing: ${why}`)
