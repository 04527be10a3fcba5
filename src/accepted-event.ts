import type { EventClaim } from './claim.ts'
import { queryTextOf } from './delivery.ts'
import type { EventAuth, PayloadSchema, WebhookEvent } from './event.ts'
import type { Verification } from './verification.ts'

const encoder = /* @__PURE__ */ new TextEncoder()

/** The event of a delivery that passed every check, settled by `claim`. */
export function acceptedEvent(verification: Verification, claim: EventClaim): WebhookEvent<unknown> {
  const { auth, delivery, eventId, eventTypeText, listener, payload, protocol, sentAt } = verification
  const commit = () => claim.commit()
  const release = () => claim.release()
  let settling: Promise<unknown> | undefined
  const event: Writable<WebhookEvent<unknown>> = {
    id: eventId,
    listenerId: listener.id,
    sentAt: new Date(sentAt * 1000),
    payload,
    rawBody: delivery.body,
    auth: auth as EventAuth, // `checkAuthenticity` has set it
    // In the order of the calls: a commit that overtook a release in flight would mark the event as done, and a release that
    // overtook a commit would undo it.
    commit() {
      const committing = settling?.then(commit, commit) ?? commit()
      settling = committing
      return committing
    },
    release() {
      const releasing = settling?.then(release, release) ?? release()
      settling = releasing
      return releasing
    },
  }
  // Assigned one by one: a copy costs more than most checks.
  if (protocol.unsigned) {
    event.type = eventTypeText || undefined
    event.unsigned = protocol.unsigned
    if (delivery.method === 'GET') event.rawBody = encoder.encode(queryTextOf(delivery))
  }
  if (listener.payload) schemas.set(event, listener.payload)
  return event
}

type Writable<T> = { -readonly [Member in keyof T]: T[Member] }

/** Kept off the event, so that it shows up in neither logs nor copies. */
const schemas = new WeakMap<object, PayloadSchema>()

/** The schema that produced an event's payload, if any. */
export function schemaOf(event: object): PayloadSchema | undefined {
  return schemas.get(event)
}
