import type { WebhookEvent } from '../../src/event.ts'
import { callHook } from '../../src/lib/hooks.ts'
import type { Listener } from '../../src/listener.ts'
import { senderLeft } from './read-web.ts'

/**
 * Lets go of an event by the answer its handler gave: below 500 it is done, from 500 on the next delivery runs.
 * The answer stands whatever happens here: a store that fails is reported, and the lease lapses by itself.
 */
function settle<Payload>(
  listener: Listener<Payload>,
  event: WebhookEvent<Payload>,
  status: number,
): Promise<unknown> | undefined {
  if (listener.settle === 'manual') return undefined
  return (status < 500 ? event.commit() : event.release()).catch((error: unknown) => {
    callHook(listener.onError, error, { listenerId: listener.id, eventId: event.id, durationMs: 0 })
  })
}

/** Runs a handler, and settles before its answer leaves. If the sender left, nobody knows what it made of that: the lease lapses. */
export async function settleBefore<Payload, Answer>(
  listener: Listener<Payload>,
  event: WebhookEvent<Payload>,
  request: Request,
  run: () => Promise<Answer>,
  statusOf: (answer: Answer) => number,
): Promise<Answer> {
  try {
    const answer = await run()
    if (!senderLeft(request)) await settle(listener, event, statusOf(answer))
    return answer
  } catch (error) {
    await settle(listener, event, 500)
    throw error
  }
}

/** The part of `http.ServerResponse` that is watched here. */
export interface NodeResponse {
  readonly statusCode: number
  readonly writableEnded: boolean
  on(event: string, listener: () => void): this
}

/** Settles when a Node response is out. If the client left before the handler ended, nobody knows: the lease lapses. */
export function settleAfter<Payload>(
  response: NodeResponse,
  listener: Listener<Payload>,
  event: WebhookEvent<Payload>,
): void {
  response.on('close', () => {
    if (response.writableEnded) void settle(listener, event, response.statusCode)
  })
}
