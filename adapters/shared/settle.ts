import type { WebhookEvent } from '../../src/event.ts'
import { callHook } from '../../src/lib/hooks.ts'
import type { Listener } from '../../src/listener.ts'

/**
 * Lets go of an event by the answer its handler gave: below 500 it is done, from 500 on the next delivery runs.
 * The answer stands whatever happens here: a store that fails is reported, and the lease lapses by itself.
 */
export function settle<Payload>(
  listener: Listener<Payload>,
  event: WebhookEvent<Payload>,
  status: number,
): Promise<unknown> | undefined {
  if (listener.settle === 'manual') return undefined
  return (status < 500 ? event.commit() : event.release()).catch((error: unknown) => {
    callHook(listener.onError, error, { listenerId: listener.id, eventId: event.id, durationMs: 0 })
  })
}

/** The part of `http.ServerResponse` that is watched here. */
export interface NodeResponse {
  readonly statusCode: number
  readonly writableEnded: boolean
  readonly destroyed: boolean
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
