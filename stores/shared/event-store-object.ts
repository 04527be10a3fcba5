import type { ClaimAnswer, CommitAnswer } from '../../src/event-store.ts'
import { type EventRecord, EventRecords, type ObjectSql } from './event-records.ts'

/** What a store asks of the object, as JSON. `done` is a claim's in mode `single`. */
export type ObjectQuestion =
  | {
      readonly verb: 'claim'
      readonly eventId: string
      readonly owner: string
      readonly ms: number
      readonly done: boolean
    }
  | { readonly verb: 'commit'; readonly eventId: string; readonly owner: string; readonly ms: number }
  | { readonly verb: 'release'; readonly eventId: string; readonly owner: string }

/** The part of a Durable Object's `ctx` that is used. Its class has to have SQLite storage. */
export interface ObjectState {
  readonly storage: {
    readonly sql: ObjectSql
    getAlarm(): Promise<number | null>
    setAlarm(scheduledTime: number): Promise<void>
    deleteAll(): Promise<void>
  }
}

/** A round of sweeping begins so long after the last one ended, or after the first event. */
const ROUND_MS = 3_600_000
/** Between two slices of a round the object serves deliveries. */
const SLICE_PAUSE_MS = 1000

/**
 * The Durable Object behind `durableObjectStore`: the events of one listener, or of one shard of them. Export it from
 * your Worker, and name it under `new_sqlite_classes` of a migration. It forgets what is past its time by alarm, and
 * leaves nothing behind when nothing is left.
 *
 * It imports nothing of the Workers runtime and speaks plain `fetch`, so that every compatibility date will do.
 */
export class EventStoreObject {
  /** What `wrangler types` asks of a class. Nothing at run time. */
  declare readonly __DURABLE_OBJECT_BRAND: never
  readonly #storage: ObjectState['storage']
  readonly #records: EventRecords
  #hasAlarm = false

  constructor({ storage }: ObjectState) {
    this.#storage = storage
    this.#records = new EventRecords(storage.sql)
  }

  /** One verb. Between its look and its change nothing else runs; the answer leaves when the change is durable. */
  async fetch(request: { json(): Promise<unknown> }): Promise<Response> {
    // A cast, because only the store of this package reaches the object: its binding is the Worker's own.
    const question = (await request.json()) as ObjectQuestion
    const answer = this.#answer(question)
    if (question.verb !== 'release') await this.#planRound()
    return Response.json(answer)
  }

  /** One slice of a round of sweeping. */
  async alarm(): Promise<void> {
    this.#hasAlarm = true
    const isMore = this.#records.sweepSlice(Date.now())
    if (isMore || !this.#records.isEmpty()) {
      await this.#storage.setAlarm(Date.now() + (isMore ? SLICE_PAUSE_MS : ROUND_MS))
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
    if (question.verb === 'release') {
      const isMine = record !== undefined && !record.done && record.owner === owner
      if (isMine) this.#records.delete(eventId)
      return isMine
    }
    const expiresAt = now + Math.ceil(question.ms)
    if (question.verb === 'commit') {
      const kept = keptFrom(record, owner)
      if (kept === undefined) this.#records.put(eventId, { owner: null, done: true, expiresAt })
      return kept ?? 'committed'
    }
    if (record !== undefined) return answerTo(record, question)
    this.#records.put(eventId, { owner, done: question.done, expiresAt })
    return 'acquired'
  }

  async #planRound(): Promise<void> {
    if (this.#hasAlarm) return
    this.#hasAlarm = true
    if ((await this.#storage.getAlarm()) === null) await this.#storage.setAlarm(Date.now() + ROUND_MS)
  }
}

/** Why a commit leaves the record as it is. */
function keptFrom(record: EventRecord | undefined, owner: string): CommitAnswer | undefined {
  if (record?.done) return 'already'
  return record !== undefined && record.owner !== owner ? 'lost' : undefined
}

/** A claim of an event that is there. */
function answerTo(record: EventRecord, { owner, done }: { owner: string; done: boolean }): ClaimAnswer {
  if (record.owner === owner && record.done === done) return 'acquired'
  return record.done ? 'done' : 'busy'
}
