import type { EventStoreError } from '../../src/errors.ts'
import type { WebhookEvent } from '../../src/event.ts'
import type { Listener } from '../../src/listener.ts'
import { senderLeft } from './read-web.ts'
import { ReportedError } from './reported-error.ts'
import { tellFailure } from './tell.ts'

/** Statuses of timeouts. The handler may still be running, so no other delivery may start before the lease ends. */
const MAY_STILL_RUN: readonly number[] = [408, 503, 504]

/**
 * Settles an event by the status of its response: 2xx commits; 408, 503 and 504 let the lease expire; everything else
 * releases. If the store fails, the response stands, `onError` is called, and the lease expires. It is also called for a
 * redirect, which hardly any sender follows, and which is seldom meant as a failure.
 */
export function settle<Payload>(
  listener: Listener<Payload>,
  event: WebhookEvent<Payload>,
  status: number,
): Promise<unknown> | undefined {
  if (listener.settle === 'manual' || MAY_STILL_RUN.includes(status)) return undefined
  const isDone = status >= 200 && status < 300
  const about = { eventId: event.id, durationMs: 0 }
  if (status >= 300 && status < 400) tellFailure(listener, redirected(status), about)
  return (isDone ? event.commit() : event.release()).catch((error: EventStoreError) =>
    tellFailure(listener, error, about),
  )
}

function redirected(status: number): ReportedError {
  const problem = `the handler answered ${status}, a redirect, so the event was released: answer 2xx when it is done`
  return new ReportedError('ERR_REDIRECTED', problem)
}

/** How an adapter determines the status of a handler's outcome. */
export interface StatusOf<Answer> {
  readonly answer: (answer: Answer) => number
  /** The status that the framework responds with if the handler throws. */
  readonly thrown: (error: unknown) => number
}

/** Runs a handler, and settles before the response is sent. If the client disconnects first, the lease expires. */
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
