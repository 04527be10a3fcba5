import { leaseOf } from '../accepted-event.ts'
import { EventStoreError, ListenerConfigError } from '../errors.ts'
import type { WebhookEvent } from '../event.ts'
import { storedKey } from '../event-key.ts'
import type { EventKey, EventStore } from '../event-store.ts'
import { type TracingChannel, traced, tracingChannel } from '../lib/tracing.ts'
import type { InboxFields } from '../report.ts'
import { NONE } from '../stores/answer.ts'
import { asciiText, knownAnswer } from '../stores/contract.ts'
import type { PostgresClient, RunStatement } from '../stores/postgres/client.ts'
import { answerInside } from '../stores/postgres/inside.ts'
import { claimed, committed } from '../stores/postgres/outside.ts'
import { keyText, milliseconds } from '../stores/postgres/statements.ts'
import { type Asking, answerOf } from './ask.ts'
import { InboxError } from './errors.ts'
import { type KeyOf, orderKeyOf } from './order-key.ts'
import { type BodyForm, bodyFormOf, storedText } from './stored-event.ts'
import type { Told, UnaskedJobs } from './unasked.ts'

/** Publishes puts and runs to subscribers. */
export const INBOX: TracingChannel | undefined = /* @__PURE__ */ tracingChannel('inbox')

/** How to put an event. */
export interface PutOptions {
  /** The client of your open transaction. The job then appears when that transaction commits, together with what you wrote in it. */
  readonly tx?: PostgresClient | undefined
}

const PUT_ANSWERS = ['put', 'already'] as const
/** The answer to a put beside a job that nobody has asked for. */
const UNASKED = 'unasked'
type PutAnswer = (typeof PUT_ANSWERS)[number] | 'lost' | 'locked'
/** How many of its values the plain statement takes, and how many say whose event it is. */
const PLAIN_VALUES = 8
const MINE_VALUES = 3
/** Which of them is the key of the job's row. */
const ROW = 5

/** One claim of an event by all its keys, and what has become of it. */
class Place {
  readonly owner: string
  readonly keys: EventKey[] = []
  /** How long the event is remembered from its delivery on, if that was decided then: whatever becomes of its job. */
  retentionMs: number | undefined
  /** Once it is accepted: from then on, a commit makes sure that there is a job, whatever became of the `put`. */
  event: WebhookEvent<unknown> | undefined
  form: BodyForm | undefined
  listener: Told | undefined
  /** What `put` writes. */
  values: Promise<readonly string[]> | undefined
  /** The key of the job's row, once it was written. */
  row: string | undefined
  /** Whether there is a job for certain. */
  isJob = false
  isPut = false
  /** Whether a `put` was part of a transaction, which may be rolled back. */
  isInTransaction = false
  /** Until when such a transaction holds the event, by this process's clock: for a lease from the last renewal that found it on. */
  keptUntil = 0
  settling: Promise<PutAnswer> | undefined

  constructor(owner: string) {
    this.owner = owner
  }
}

/** How long a `put` waits for another transaction that has locked the event. */
const PUT_WAITS_MS = 1000
/** The same after a 2xx, when only the end of that transaction shows whether there is a job. */
const COMMIT_WAITS_MS = 900_000
const FIRST_PAUSE_MS = 10
const LONGEST_PAUSE_MS = 1000

/** The answers to a renewal while an open transaction locks the event: another one, or that of its own put. */
const LOCKED: readonly (string | undefined)[] = ['locked', 'kept']

interface ClaimsOptions extends Asking {
  readonly unasked: UnaskedJobs
  readonly keyOf: KeyOf | undefined
  /** Called for each new job, with the key of its row. */
  readonly onJob: (listenerId: string, row: string | undefined) => void
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

  constructor(options: ClaimsOptions) {
    this.#options = options
  }

  readonly claim: EventStore['claim'] = async (key, owner, leaseMs) => {
    const { run, statements } = this.#options
    const values = [...(await rowValues(key, owner)), milliseconds(leaseMs)]
    const answer = await claimed(
      firstAnswerOf(run, [statements.claimNew, values], [statements.claim, values]),
    )
    if (answer === 'acquired') this.#remember(key, owner)
    return answer
  }

  readonly commit: EventStore['commit'] = async (key, owner, retentionMs) => {
    const { run, statements } = this.#options
    this.#unaccepted.delete(owner)
    const place = this.#places.get(key)
    if (place?.isJob) return 'committed'
    if (place?.event) return this.#ensureJob(place, place.event)
    const values = [...(await rowValues(key, owner)), milliseconds(retentionMs)]
    return committed(() => answerOf(run, statements.commit, values))
  }

  readonly release: EventStore['release'] = async (key, owner) => {
    const { run, statements } = this.#options
    this.#unaccepted.delete(owner)
    if (this.#places.get(key)?.isJob) return false
    return (await answerOf(run, statements.release, await rowValues(key, owner))) === 'released'
  }

  readonly renew: NonNullable<EventStore['renew']> = async (key, owner, leaseMs) => {
    const { run, statements } = this.#options
    const place = this.#places.get(key)
    if (place?.isJob) return true
    const values = [...(await rowValues(key, owner)), milliseconds(leaseMs)]
    const sentAt = performance.now()
    const answer = await answerOf(run, statements.renew, values)
    if (place) place.keptUntil = answer === 'kept' ? sentAt + leaseMs : 0
    return answer === 'held' || (LOCKED.includes(answer) && 'locked')
  }

  readonly holds: NonNullable<EventStore['holds']> = (key) =>
    performance.now() < (this.#places.get(key)?.keptUntil ?? 0)

  readonly accepted: NonNullable<EventStore['accepted']> = (event, owner, delivery, listener) => {
    const place = this.#unaccepted.get(owner)
    this.#unaccepted.delete(owner)
    if (place === undefined) return
    const lease = leaseOf(event)
    // Otherwise a commit would not find its place, and the event be done without a job.
    if (lease?.keys.some((key) => this.#places.get(key) !== place)) {
      throw new ListenerConfigError(
        'store',
        'wraps box.store, but hands over a copy of a key: hand over what it is given',
      )
    }
    place.event = event as WebhookEvent<unknown> // as `verify` makes it
    place.form = bodyFormOf(delivery)
    place.listener = listener
    if (lease?.retentionMs !== undefined) {
      place.retentionMs = Math.min(lease.retentionMs, lease.listener.retentionMs)
    }
    this.#places.set(event, place)
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
    const answer = tx
      ? await this.#write(place, event, tx)
      : await this.#writeOutside(place, event, PUT_WAITS_MS)
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
    place.settling ??= this.#writeOutside(place, event, COMMIT_WAITS_MS).finally(() => {
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

  /**
   * Waits for a transaction that has locked the event, such as that of its own `put`: without a statement that waits, which would keep a
   * connection.
   */
  async #writeOutside(
    place: Place,
    event: WebhookEvent<unknown>,
    longestMs: number,
  ): Promise<Exclude<PutAnswer, 'locked'>> {
    const until = performance.now() + longestMs
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      const answer = await this.#write(place, event)
      if (answer !== 'locked') return answer
      if (performance.now() >= until) {
        throw new InboxError(
          `an open transaction has locked this event for more than ${longestMs / 1000} s: end it, or put the event in it, by put(event, { tx })`,
        )
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }

  async #write(place: Place, event: WebhookEvent<unknown>, tx?: PostgresClient): Promise<PutAnswer> {
    const { keyOf, statements, run, unasked } = this.#options
    const { listener } = place
    place.values ??= jobValues(event, place, keyOf)
    const values = await place.values
    place.row = values[ROW]
    const isFull =
      place.retentionMs !== undefined || (listener !== undefined && unasked.isTimeFor(listener.id))
    const given = isFull ? values : values.slice(0, PLAIN_VALUES)
    const answer = tx
      ? await answerInside(
          tx,
          'put(event, { tx })',
          isFull ? statements.putInsideFull : statements.putInside,
          given,
        )
      : isFull || place.isInTransaction || place.keys.length > 1
        ? await answerOf(run, isFull ? statements.putFull : statements.put, given)
        : await firstAnswerOf(run, [statements.putOne, valuesOfOne(values)], [statements.put, given])
    if (answer === NONE) return tx ? 'lost' : this.#lostOrLocked(values)
    const isUnasked = answer === UNASKED
    const known = isUnasked ? 'put' : knownAnswer('Postgres', PUT_ANSWERS, answer)
    if (known === 'put' && listener) unasked.onPut(listener, isUnasked)
    return known
  }

  /** `locked` if the event is still this owner's: a transaction locks its row, or did until now. */
  async #lostOrLocked(values: readonly string[]): Promise<'lost' | 'locked'> {
    const { run, statements } = this.#options
    const answer = await answerOf(run, statements.isMine, values.slice(0, MINE_VALUES))
    return knownAnswer('Postgres', ['mine', 'lost'], answer) === 'mine' ? 'locked' : 'lost'
  }

  #isJob(place: Place): void {
    place.isJob = true
    place.values = undefined // it has the body
    const [key] = place.keys
    if (key) this.#options.onJob(key.listenerId, place.row)
  }

  #remember(key: EventKey, owner: string): void {
    const place = this.#unaccepted.get(owner) ?? new Place(owner)
    this.#unaccepted.set(owner, place)
    this.#places.set(key, place)
    if (!place.keys.some(({ eventId }) => eventId === key.eventId)) place.keys.push(key)
  }
}

/** Asks the second statement if the first one, which is cheaper and knows the common case alone, answers `none`. */
async function firstAnswerOf(
  run: RunStatement,
  ...[first, second]: readonly [first: Asked, second: Asked]
): Promise<string> {
  const answer = await answerOf(run, ...first)
  return answer === NONE ? answerOf(run, ...second) : answer
}

type Asked = readonly [statement: string, values: readonly string[]]

async function rowValues(key: EventKey, owner: string): Promise<string[]> {
  const { eventId, listenerId } = await storedKey(key)
  return [eventId, await keyText(listenerId), asciiText(owner)]
}

async function jobValues(
  event: WebhookEvent<unknown>,
  place: Place,
  keyOf: KeyOf | undefined,
): Promise<string[]> {
  const { owner, keys, form, retentionMs } = place
  const orderKey = keyOf && orderKeyOf(keyOf, event, place.listener)
  const stored = await Promise.all(keys.map(async (key) => (await storedKey(key)).eventId))
  const listener = await keyText(keys[0]?.listenerId ?? '')
  const envelope = storedText(event, form ?? bodyFormOf(undefined))
  const [row = '', retention] =
    retentionMs === undefined ? [stored[0], ''] : [crypto.randomUUID(), milliseconds(retentionMs)]
  return [
    ...[`{${stored.join(',')}}`, listener, asciiText(owner), envelope, asciiText(event.id)],
    ...[row, asciiText(event.type ?? ''), await keyText(orderKey ?? ''), retention],
  ]
}

/** What the statement for one key takes: the key of its row, and no others. */
function valuesOfOne(values: readonly string[]): readonly string[] {
  const [, listener = '', owner = '', envelope = '', id = '', row = '', type = '', orderKey = ''] = values
  return [row, listener, owner, envelope, id, type, orderKey]
}
