import type { Delivery } from '../../src/delivery.ts'
import { EventStoreError, KeySetError } from '../../src/errors.ts'
import type { WebhookEvent } from '../../src/event.ts'
import { callHook } from '../../src/lib/hooks.ts'
import { isPromise, type MaybePromise } from '../../src/lib/maybe-promise.ts'
import type { Listener } from '../../src/listener.ts'
import { rejected, type Verdict } from '../../src/verdict.ts'
import { verdictOn } from '../../src/verify.ts'
import type { BodyIncompleteError } from './body.ts'
import { type Reply, replyToRejected, replyUnavailable, thenClose } from './reply.ts'

/** Run the handler with the event, and settle it; or send the reply, and do not run the handler. */
export type Outcome<Payload> =
  | {
      readonly event: WebhookEvent<Payload>
      readonly listener: Listener<Payload>
      readonly reply?: undefined
    }
  | { readonly reply: Reply }

export function refuseIncomplete(
  { message }: BodyIncompleteError,
  listener: Listener<unknown>,
  startedAt: number,
): { readonly reply: Reply } {
  const verdict = rejected('body_incomplete', message)
  const durationMs = performance.now() - startedAt
  callHook(listener.onVerdict, verdict, { listenerId: listener.id, durationMs })
  return { reply: thenClose(replyToRejected(verdict, undefined)) }
}

export function decide<Payload>(
  delivery: Delivery,
  listener: Listener<Payload>,
): MaybePromise<Outcome<Payload>> {
  try {
    const verdict = verdictOn(delivery, listener)
    if (!isPromise(verdict)) return outcomeOf(verdict, delivery, listener)
    return verdict.then((late) => outcomeOf(late, delivery, listener)).catch(unavailable)
  } catch (error) {
    return unavailable(error)
  }
}

function outcomeOf<Payload>(
  verdict: Verdict<Payload>,
  { body }: Delivery,
  listener: Listener<Payload>,
): Outcome<Payload> {
  if (verdict.ok) return { event: verdict.event, listener }
  const reply = replyToRejected(verdict, listener.auth.challenge)
  return { reply: body.byteLength > listener.maxBodyBytes ? thenClose(reply) : reply }
}

function unavailable(error: unknown): { readonly reply: Reply } {
  if (error instanceof EventStoreError || error instanceof KeySetError) {
    return { reply: replyUnavailable(error.retryAfterSeconds) }
  }
  throw error
}
