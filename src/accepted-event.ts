import { Lease } from './claim.ts'
import type { ClaimedEvent, EventAuth, WebhookEvent as SomeEvent } from './event.ts'
import type { CommitAnswer } from './event-store.ts'
import type { Verification } from './verification.ts'

/** What settles an event: its lease, or what stands for one where nothing was claimed. */
type Settled = Pick<ClaimedEvent<unknown>, 'commit' | 'release' | 'signal'>

/** The event of a delivery that passed every check, settled through `lease`. */
export function acceptedEvent(verification: Verification, lease: Settled): SomeEvent<unknown> {
  const event: Writable<SomeEvent<unknown>> = new WebhookEvent(verification, lease)
  const { delivery, eventTypeText, protocol } = verification
  // Assigned one by one: a copy costs more than most checks.
  if (protocol.unsigned) {
    event.type = eventTypeText || undefined
    event.unsigned = protocol.unsigned
    if (delivery.method === 'GET' && protocol.queryBytes) event.rawBody = protocol.queryBytes(delivery)
  }
  return event
}

type Writable<T> = { -readonly [Member in keyof T]: T[Member] }

/** A class, so that `signal` costs nothing until it is read, and shows up in neither logs nor copies: there it is a plain object. */
class ClassOfEvents implements ClaimedEvent<unknown> {
  readonly id: string
  readonly listenerId: string
  readonly sentAt: Date
  readonly payload: unknown
  readonly rawBody: Uint8Array
  readonly auth: EventAuth
  // Not methods of the class, so that they can be taken off the event, and copied.
  readonly commit: (...given: [] | [tx: object]) => Promise<CommitAnswer> = (...given) =>
    this.#lease.commit(...given)
  readonly release: () => Promise<boolean> = () => this.#lease.release()
  readonly #lease: Settled

  constructor({ auth, delivery, eventId, listener, payload, sentAt }: Verification, lease: Settled) {
    this.id = eventId
    this.listenerId = listener.id
    this.sentAt = new Date(sentAt * 1000)
    this.payload = payload
    this.rawBody = delivery.body
    this.auth = auth as EventAuth // `checkAuthenticity` has set it
    this.#lease = lease
  }

  get signal(): AbortSignal {
    return this.#lease.signal
  }

  static leaseOf(event: object): Lease | undefined {
    return #lease in event && event.#lease instanceof Lease ? event.#lease : undefined
  }
}

/** Not in a static block: a bundler would keep the class where nothing uses it. */
const WebhookEvent = /* @__PURE__ */ withoutConstructor(ClassOfEvents)

function withoutConstructor<Class extends { readonly prototype: object }>(ours: Class): Class {
  Reflect.deleteProperty(ours.prototype, 'constructor')
  return ours
}

/** The lease that settles an accepted event. Undefined beside an old check, where nothing is claimed. */
export const leaseOf = (event: object): Lease | undefined => ClassOfEvents.leaseOf(event)
