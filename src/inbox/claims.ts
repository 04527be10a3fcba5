import { EventStoreError } from '../errors.ts'
import type { WebhookEvent } from '../event.ts'
import { storedKey } from '../event-key.ts'
import { CLAIM_ANSWERS, COMMIT_ANSWERS, type EventKey, type EventStore } from '../event-store.ts'
import { type TracingChannel, traced, tracingChannel } from '../lib/tracing.ts'
import type { InboxFields } from '../report.ts'
import { asciiText, knownAnswer } from '../stores/contract.ts'
import {
  checkTransaction,
  type PostgresClient,
  type RunStatement,
  statementRunner,
} from '../stores/postgres/client.ts'
import { keyText } from '../stores/postgres/statements.ts'
import { answerOf, MOST_ATTEMPTS } from './ask.ts'
import { InboxError } from './errors.ts'
import type { Statements } from './statements.ts'
import { type BodyForm, bodyFormOf, storedText } from './stored-event.ts'

/** Publishes puts and runs to subscribers. */
export const INBOX: TracingChannel | undefined = /* @__PURE__ */ tracingChannel('inbox')

/** How to put an event. */
export interface PutOptions {
  /** The client of your open transaction. The job then appears when that transaction commits, together with what you wrote in it. */
  readonly tx?: PostgresClient | undefined
}

const PUT_ANSWERS = ['put', 'already', 'lost'] as const
type PutAnswer = (typeof PUT_ANSWERS)[number]

/** One claim of an event by all its keys, and what has become of it. */
interface Place {
  readonly owner: string
  readonly keys: EventKey[]
  /** Once it is accepted: from then on, a commit makes sure that there is a job, whatever became of the `put`. */
  event: WebhookEvent<unknown> | undefined
  form: BodyForm | undefined
  /** What `put` writes. */
  values: Promise<readonly string[]> | undefined
  /** Whether there is a job for certain. */
  isJob: boolean
  isPut: boolean
  /** Whether a `put` was part of a transaction, which may be rolled back. */
  isInTransaction: boolean
  settling: Promise<PutAnswer> | undefined
}

/** How many events may be in flight in one process behind a wrapper that copies keys: what is older is settled as by any store. */
const MOST_UNSETTLED = 1000
/** A thousand years, well within the range of timestamps. */
const LONGEST_MS = 365_250 * 86_400_000

export interface ClaimsOptions {
  readonly run: RunStatement
  readonly statements: Statements
  readonly retentionMs: number
  /** Called for each new job. */
  readonly onJob: (listenerId: string) => void
}

/**
 * The store of the inbox, and `put`, which makes a job of a claim. From then on the job alone decides: a commit, a release and the end of
 * the lease change nothing, and cost no statement. No event is done before its job has run: a 2xx without a `put` makes the job.
 */
export class Claims implements EventStore {
  readonly #options: ClaimsOptions
  /** Claims whose event has not been accepted yet, by owner. */
  readonly #unaccepted = new Map<string, Place>()
  readonly claimsAll = true
  /** By the event, and by the key objects with which the core claims, commits and releases it. */
  readonly #places = new WeakMap<object, Place>()
  /** Accepted events, by owner, because a wrapper of this store may hand over copies of the key objects. */
  readonly #unsettled = new Map<string, Place>()

  constructor(options: ClaimsOptions) {
    this.#options = options
  }

  readonly claim: EventStore['claim'] = async (key, owner, leaseMs) => {
    const { run, statements } = this.#options
    const values = [...(await rowValues(key, owner)), milliseconds(leaseMs)]
    // No row: another owner changed the record after this statement began, and holds it.
    const answer = knownAnswer(
      'Postgres',
      CLAIM_ANSWERS,
      (await answerOf(run, statements.claim, values)) ?? 'busy',
    )
    if (answer === 'acquired') this.#remember(key, owner)
    return answer
  }

  readonly commit: EventStore['commit'] = async (key, owner, retentionMs) => {
    const { run, statements, retentionMs: shortestMs } = this.#options
    this.#unaccepted.delete(owner)
    const place = this.#places.get(key) ?? this.#unsettled.get(owner)
    if (place?.isJob) return 'committed'
    if (place?.event) return this.#ensureJob(place, place.event)
    const values = [...(await rowValues(key, owner)), milliseconds(Math.max(retentionMs, shortestMs))]
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const answer = await answerOf(run, statements.commit, values)
      // No row: the record changed after this statement began. The next attempt sees the change.
      if (answer !== undefined) return knownAnswer('Postgres', COMMIT_ANSWERS, answer)
    }
    throw new EventStoreError(`another statement changed the record during each of ${MOST_ATTEMPTS} commits`)
  }

  readonly release: EventStore['release'] = async (key, owner) => {
    const { run, statements } = this.#options
    this.#unaccepted.delete(owner)
    this.#unsettled.delete(owner)
    if (this.#places.get(key)?.isJob) return false
    return (await answerOf(run, statements.release, await rowValues(key, owner))) === 'released'
  }

  readonly renew: NonNullable<EventStore['renew']> = async (key, owner, leaseMs) => {
    const { run, statements } = this.#options
    if (this.#places.get(key)?.isJob) return true
    const values = [...(await rowValues(key, owner)), milliseconds(leaseMs)]
    return (await answerOf(run, statements.renew, values)) === 'held'
  }

  readonly accepted: NonNullable<EventStore['accepted']> = (event, owner, delivery) => {
    const place = this.#unaccepted.get(owner)
    this.#unaccepted.delete(owner)
    if (place === undefined) return
    place.event = event as WebhookEvent<unknown> // as `verify` makes it
    place.form = bodyFormOf(delivery)
    this.#places.set(event, place)
    this.#keep(place)
  }

  /** Resolves once the job is written: durably, or in your transaction. */
  put(event: WebhookEvent<unknown>, { tx }: PutOptions = {}): Promise<void> {
    const describe = (answer?: 'put'): InboxFields => ({ listenerId: event.listenerId, verb: 'put', answer })
    return traced(INBOX, () => this.#put(event, tx), describe).then(() => {})
  }

  async #put(event: WebhookEvent<unknown>, tx: PostgresClient | undefined): Promise<'put'> {
    const place = this.#places.get(event)
    if (place === undefined) {
      throw new InboxError(
        'put() takes an event that a listener with `store: box.store` has accepted: the event itself, not a copy',
      )
    }
    if (place.isJob) return 'put'
    place.isPut = true
    place.isInTransaction ||= tx !== undefined
    const answer = await this.#write(place, event, tx)
    if (answer === 'lost') {
      throw new InboxError(
        'this event is no longer yours, so it did not become a job: its lease ended, or it was settled before',
      )
    }
    if (tx === undefined) this.#isJob(place)
    return 'put'
  }

  /**
   * For a 2xx without a `put`, after one that failed, or whose transaction may have been rolled back: nothing is done before there is a
   * job. Waits for that transaction.
   */
  async #ensureJob(place: Place, event: WebhookEvent<unknown>): Promise<'committed' | 'lost'> {
    place.settling ??= this.#write(place, event).finally(() => {
      place.settling = undefined
    })
    const answer = await place.settling
    if (answer === 'lost') return 'lost'
    const wasJob = place.isJob
    this.#isJob(place)
    if (answer === 'put' && !wasJob && !place.isPut) {
      throw new EventStoreError(
        'the handler answered 2xx without put(event): the event became a job all the same',
      )
    }
    if (answer === 'put' && !wasJob && place.isInTransaction) {
      throw new EventStoreError(
        'the handler answered 2xx, but the transaction of its put() was not committed: the event became a job without it',
      )
    }
    return 'committed'
  }

  async #write(place: Place, event: WebhookEvent<unknown>, tx?: PostgresClient): Promise<PutAnswer> {
    place.values ??= jobValues(event, place)
    const values = await place.values
    const { statements, run: outside } = this.#options
    const run = tx === undefined ? outside : statementRunner(tx, 'tx')
    if (tx !== undefined) checkTransaction(tx)
    // A statement of a transaction that failed cannot be sent again in it.
    const ask = async (statement: string, given: readonly string[]) =>
      tx === undefined ? answerOf(run, statement, given) : (await run(statement, given))[0]?.answer
    if (tx !== undefined) await ask(statements.mark, [asciiText(place.owner)])
    const answer = await ask(tx === undefined ? statements.put : statements.putInside, values)
    if (answer === 'outside')
      throw new InboxError('put(event, { tx }) takes the client of an open transaction: this one has none')
    return knownAnswer('Postgres', PUT_ANSWERS, answer)
  }

  #keep(place: Place): void {
    this.#unsettled.set(place.owner, place)
    const [oldest] = this.#unsettled.keys()
    if (this.#unsettled.size > MOST_UNSETTLED && oldest !== undefined) this.#unsettled.delete(oldest)
  }

  #isJob(place: Place): void {
    place.isJob = true
    place.values = undefined // it has the body
    this.#unsettled.delete(place.owner)
    const [key] = place.keys
    if (key) this.#options.onJob(key.listenerId)
  }

  #remember(key: EventKey, owner: string): void {
    const place = this.#unaccepted.get(owner) ?? newPlace(owner)
    this.#unaccepted.set(owner, place)
    this.#places.set(key, place)
    if (!place.keys.some(({ eventId }) => eventId === key.eventId)) place.keys.push(key)
  }
}

const newPlace = (owner: string): Place => ({
  owner,
  keys: [],
  event: undefined,
  form: undefined,
  values: undefined,
  isJob: false,
  isPut: false,
  isInTransaction: false,
  settling: undefined,
})

async function rowValues(key: EventKey, owner: string): Promise<string[]> {
  const { eventId, listenerId } = await storedKey(key)
  return [eventId, await keyText(listenerId), asciiText(owner)]
}

async function jobValues(event: WebhookEvent<unknown>, { owner, keys, form }: Place): Promise<string[]> {
  const stored = await Promise.all(keys.map(async (key) => (await storedKey(key)).eventId))
  const listener = await keyText(keys[0]?.listenerId ?? '')
  const envelope = storedText(event, form ?? bodyFormOf(undefined))
  return [`{${stored.join(',')}}`, listener, asciiText(owner), envelope, asciiText(event.id)]
}

export function milliseconds(given: number): string {
  return `${Math.min(given, LONGEST_MS)}`
}
