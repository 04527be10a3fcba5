import { type ClaimAnswer, type CommitAnswer, type EventKey, type EventStore, eventKeyText } from 'hookgate'
import type { PostgresStore } from 'hookgate/stores/postgres'
import type { Database, Transaction } from '../database/database.ts'

/** A claimed event whose transaction is open. */
interface OpenEvent {
  readonly owner: string
  readonly tx: Transaction
  readonly end: (how: 'commit' | 'rollback') => void
  /** Resolves when the transaction has ended, rejects if it failed. */
  readonly over: () => Promise<unknown>
}

/**
 * An event store that keeps a transaction open until the event is settled. Writes through `transactionOf(event)` are
 * atomic with the event's record. `commit` commits the transaction, `release` rolls it back. If the process dies, its
 * claims are released at once, without a lease.
 *
 * @param events A store in mode `single`, because the claim itself is the record.
 */
export class EventTransactions implements EventStore {
  readonly replayWindowSeconds: number
  readonly #database: Database
  readonly #events: PostgresStore
  readonly #open = new Map<string, OpenEvent>()

  constructor(database: Database, events: PostgresStore) {
    this.#database = database
    this.#events = events
    this.replayWindowSeconds = events.replayWindowSeconds ?? 0
  }

  claim(key: EventKey, owner: string, leaseMs: number): Promise<ClaimAnswer> {
    return new Promise((answer, fail) => {
      const over = this.#database.transaction(async (tx) => {
        const client = { query: (text: string, values: string[]) => tx.query(text, values) } // a prepared statement
        const claimed = await this.#events.with(client).claim(key, owner, leaseMs)
        if (claimed !== 'acquired') return answer(claimed)
        const settled = new Promise<'commit' | 'rollback'>((end) => {
          this.#open.set(eventKeyText(key), { owner, tx, end, over: () => over })
        })
        answer('acquired')
        if ((await settled) === 'rollback') throw new RolledBack()
      })
      over.catch(fail)
    })
  }

  async commit(key: EventKey, owner: string): Promise<CommitAnswer> {
    const open = this.#take(key, owner)
    if (open === undefined) return 'lost'
    open.end('commit')
    await open.over()
    return 'committed'
  }

  async release(key: EventKey, owner: string): Promise<boolean> {
    const open = this.#take(key, owner)
    if (open === undefined) return false
    open.end('rollback')
    await open.over().catch((error) => {
      if (!(error instanceof RolledBack)) throw error
    })
    return true
  }

  /** @throws TypeError for an event that is already settled or was never accepted here. */
  transactionOf(event: { readonly id: string; readonly listenerId: string }): Transaction {
    const open = this.#open.get(eventKeyText({ listenerId: event.listenerId, eventId: event.id }))
    if (open === undefined) throw new TypeError('the event has no open transaction')
    return open.tx
  }

  /** Delete it before the transaction ends, because the next claim of the event may follow at once. */
  #take(key: EventKey, owner: string): OpenEvent | undefined {
    const open = this.#open.get(eventKeyText(key))
    if (open?.owner !== owner) return undefined
    this.#open.delete(eventKeyText(key))
    return open
  }
}

class RolledBack extends Error {}
