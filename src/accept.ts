import type { Attempt } from './checks/check.ts'
import { claimEvent } from './claim.ts'
import type { Held } from './claim-keys.ts'
import type { WebhookEvent } from './event.ts'
import type { MaybePromise } from './lib/maybe-promise.ts'
import type { PayloadSchema } from './payload-schema.ts'
import type { Verdict } from './verdict.ts'

/** The last step, after every check: claims the event, and hands it over if nobody else has it. */
export function accept(attempt: Attempt): MaybePromise<Verdict<unknown>> {
  return claimEvent(attempt, (claim) => ({ ok: true, event: eventOf(attempt, claim) }))
}

function eventOf(attempt: Attempt, claim: Held): WebhookEvent<unknown> {
  const { auth, delivery, eventId, listener, payload, sender, sentAt } = attempt
  if (auth === undefined) throw new TypeError('auth.authenticate() named no sender')
  const event: Writable<WebhookEvent<unknown>> = {
    id: eventId,
    listenerId: listener.id,
    sentAt: new Date(sentAt * 1000),
    payload,
    rawBody: delivery.body,
    auth,
    commit: () => claim.commit(),
    release: () => claim.release(),
  }
  // One by one: a copy costs more than most checks.
  if (sender) {
    event.type = sender.typeOf(attempt)
    event.unsigned = sender.unsigned
  }
  if (listener.payload) schemas.set(event, listener.payload)
  return event
}

type Writable<T> = { -readonly [Member in keyof T]: T[Member] }

/** Not on the event, where logs and copies would show it. */
const schemas = new WeakMap<object, PayloadSchema>()

/** The schema that made an event's payload, if there is one. */
export function schemaOf(event: object): PayloadSchema | undefined {
  return schemas.get(event)
}
