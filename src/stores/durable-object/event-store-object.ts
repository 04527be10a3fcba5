import type { ClaimAnswer, CommitAnswer } from '../../event-store.ts'
import { EventRecords, type ObjectSql } from './statements.ts'

/** A store's question to the object, sent as JSON. */
export interface ObjectQuestion {
  readonly verb: 'claim' | 'commit' | 'renew' | 'release'
  readonly eventId: string
  readonly owner: string
  /** The length of the lease, or the retention. A release has none. */
  readonly ms: number
}

/** The part of a Durable Object's `ctx` that is used. The class must have SQLite storage. */
export interface ObjectState {
  readonly storage: {
    readonly sql: ObjectSql
    getAlarm(): Promise<number | null>
    setAlarm(scheduledTime: number): Promise<void>
    deleteAll(): Promise<void>
  }
}

/** The delay between two rounds of sweeping, and between the first event and the first round. */
const ROUND_MS = 3_600_000
/** Pause between two slices of a round, to serve deliveries. */
const SLICE_PAUSE_MS = 1000

/**
 * The Durable Object behind `durableObjectStore`. Holds the events of one listener, or of one shard. Export it from your
 * Worker, and list it under `new_sqlite_classes` in a migration. An alarm deletes expired events, and the whole storage once
 * it is empty. Works with every compatibility date: imports nothing of the Workers runtime and uses plain `fetch`.
 *
 * @example
 * ```ts
 * export class WebhookEvents extends EventStoreObject {} // or re-export it under its own name
 * ```
 */
export class EventStoreObject {
  /** Required by the types of `wrangler types`. Does not exist at run time. */
  declare readonly __DURABLE_OBJECT_BRAND: never
  readonly #storage: ObjectState['storage']
  readonly #records: EventRecords
  #hasAlarm = false

  constructor({ storage }: ObjectState) {
    this.#storage = storage
    this.#records = new EventRecords(storage.sql)
  }

  /** Runs one method atomically. The response is sent once the change is durable. */
  async fetch(request: { json(): Promise<unknown> }): Promise<Response> {
    // Cast: only this package's store can reach the object, through the Worker's own binding.
    const question = (await request.json()) as ObjectQuestion
    const answer = this.#answer(question)
    if (question.verb !== 'release') await this.#planRound()
    return Response.json(answer)
  }

  /** Sweeps one slice. */
  async alarm(): Promise<void> {
    this.#hasAlarm = true
    const isMore = this.#records.sweepSlice(Date.now())
    if (isMore || !this.#records.isEmpty()) {
      await this.#setAlarm(isMore ? SLICE_PAUSE_MS : ROUND_MS)
    } else {
      this.#hasAlarm = false
      this.#records.forgetTable()
      await this.#storage.deleteAll()
    }
  }

  #answer(question: ObjectQuestion): ClaimAnswer | CommitAnswer | boolean {
    const now = Date.now()
    const { eventId, owner } = question
    const record = this.#records.live(eventId, now)
    const isMine = record?.owner === owner
    const isHeld = isMine && !record.done
    if (question.verb === 'release') {
      if (isHeld) this.#records.delete(eventId)
      return isHeld
    }
    const expiresAt = now + Math.ceil(question.ms)
    if (question.verb === 'renew') {
      if (isHeld) this.#records.put(eventId, { owner, done: false, expiresAt })
      return isHeld
    }
    if (question.verb === 'commit') {
      if (record?.done) return 'already'
      if (record !== undefined && !isMine) return 'lost'
      this.#records.put(eventId, { owner: null, done: true, expiresAt })
      return 'committed'
    }
    if (record === undefined) this.#records.put(eventId, { owner, done: false, expiresAt })
    if (record === undefined || isHeld) return 'acquired'
    return record.done ? 'done' : 'busy'
  }

  async #planRound(): Promise<void> {
    if (this.#hasAlarm) return
    this.#hasAlarm = true
    if ((await this.#storage.getAlarm()) === null) await this.#setAlarm(ROUND_MS)
  }

  /** If it fails, the next claim, commit or renewal tries again. Otherwise nothing would be deleted until the object restarts. */
  async #setAlarm(delayMs: number): Promise<void> {
    try {
      await this.#storage.setAlarm(Date.now() + delayMs)
    } catch (error) {
      this.#hasAlarm = false
      throw error
    }
  }
}
