import type { WebhookEvent } from '../../src/event.ts'
import { callHook } from '../../src/lib/hooks.ts'
import type { Listener } from '../../src/listener.ts'
import { senderLeft } from './read-web.ts'

/** Timeouts answer these while their handler still runs, so nobody else may start before the lease is over. */
const MAY_STILL_RUN: readonly number[] = [408, 503, 504]

/**
 * Settles an event by the status of its answer: 2xx commits, 408, 503 and 504 leave the lease to lapse, everything else
 * releases. The answer stands whatever happens here: `onError` hears of a store that fails, and the lease lapses.
 */
export function settle<Payload>(
  listener: Listener<Payload>,
  event: WebhookEvent<Payload>,
  status: number,
): Promise<unknown> | undefined {
  if (listener.settle === 'manual' || MAY_STILL_RUN.includes(status)) return undefined
  const isDone = status >= 200 && status < 300
  return (isDone ? event.commit() : event.release()).catch((error: unknown) => {
    callHook(listener.onError, error, { listenerId: listener.id, eventId: event.id, durationMs: 0 })
  })
}

/** How an adapter reads the status of an outcome. */
export interface StatusOf<Answer> {
  readonly answer: (answer: Answer) => number
  /** The status that the framework gives to what a handler threw. */
  readonly thrown: (error: unknown) => number
}

/** Runs a handler, and settles before its answer leaves. If the client left before the handler ended, the lease lapses. */
export async function settleBefore<Payload, Answer>(
  listener: Listener<Payload>,
  event: WebhookEvent<Payload>,
  request: Request,
  run: () => Promise<Answer>,
  statusOf: StatusOf<Answer>,
): Promise<Answer> {
  try {
    const answer = await run()
    if (!senderLeft(request)) await settle(listener, event, statusOf.answer(answer))
    return answer
  } catch (error) {
    if (!senderLeft(request)) await settle(listener, event, statusOf.thrown(error))
    throw error
  }
}
