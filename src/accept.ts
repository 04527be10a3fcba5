import type { Attempt } from './checks/check.ts'
import { type Claim, claimEvent } from './claim.ts'
import type { WebhookEvent } from './event.ts'
import type { MaybePromise } from './lib/maybe-promise.ts'
import type { Verdict } from './verdict.ts'

/** The last step, after every check: claims the event, and hands it over if nobody else has it. */
export function accept(attempt: Attempt): MaybePromise<Verdict<unknown>> {
  return claimEvent(attempt, (claim) => ({ ok: true, event: eventOf(attempt, claim) }))
}

function eventOf(attempt: Attempt, claim: Claim): WebhookEvent<unknown> {
  const { auth, delivery, eventId, listener, payload, sentAt } = attempt
  if (auth === undefined) throw new TypeError('auth.authenticate() named no sender')
  return {
    id: eventId,
    listenerId: listener.id,
    sentAt: new Date(sentAt * 1000),
    payload,
    rawBody: delivery.body,
    auth,
    commit: () => claim.commit(),
    release: () => claim.release(),
  }
}
