import { type ClaimAnswer, type CommitAnswer, type EventKey, type EventStore, eventKeyText } from 'hookgate'
import type { PostgresStore } from 'hookgate/stores/postgres'
import type { Database, Transaction } from '../database/database.ts'

/** An event that was claimed, and whose transaction waits for its end. */
interface OpenEvent {
  readonly owner: string
  readonly tx: Transaction
  readonly end: (how: 'commit' | 'rollback') => void
  /** Resolves when the transaction is over, rejects when it failed. */
  readonly over: () => Promise<unknown>
}

/**
 * Remembers each event in a transaction that is open until the event is settled: what is written beside the record, with
 * `transactionOf(event)`, is there together with it or not at all. To commit the event is to commit the transaction, to
 * release it is to roll back; and a process that dies has released all it held, with no lease to wait for.
 *
 * @param events Of mode `single`: inside a transaction, the claim is the record.
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
        const client = { query: (text: string, values: string[]) => tx.query(text, values) } // kept prepared
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

  /** @throws TypeError for an event that is not open: it was settled, or never accepted here. */
  transactionOf(event: { readonly id: string; readonly listenerId: string }): Transaction {
    const open = this.#open.get(eventKeyText({ listenerId: event.listenerId, eventId: event.id }))
    if (open === undefined) throw new TypeError('the event has no open transaction')
    return open.tx
  }

  /** Forgotten before it ends: at the end of one transaction the next claim of the event may already be in. */
  #take(key: EventKey, owner: string): OpenEvent | undefined {
    const open = this.#open.get(eventKeyText(key))
    if (open?.owner !== owner) return undefined
    this.#open.delete(eventKeyText(key))
    return open
  }
}

class RolledBack extends Error {}
