import { leaseOf } from '../accepted-event.ts'
import { beat, beatMsOf, MAY_STILL_RUN, startBeating } from '../beat.ts'
import type { WebhookEvent } from '../event.ts'
import { kindOf } from '../lib/options.ts'
import type { Listener } from '../listener.ts'
import { told } from '../told.ts'

/**
 * Runs the handler of a claimed event, renews its lease meanwhile, and settles it as an adapter does: a response that the handler returns
 * counts as if it were sent. Waits no longer for a handler that has lost its lease. Returns why it failed.
 */
export async function runClaimed(
  { settle, store }: Pick<Listener<unknown>, 'settle' | 'store'>,
  event: WebhookEvent<unknown>,
  handler: () => unknown,
): Promise<string | undefined> {
  const lease = leaseOf(event)
  if (lease) startBeating(lease, () => {}) // the result tells
  const beating = lease && setInterval(() => beat(lease), beatMsOf(lease))
  const failed = async (why: string, isOver: boolean) => {
    if (settle === 'auto' && isOver) await event.release().catch(() => {}) // then its lease expires
    return why
  }
  try {
    const answer = await untilLost(event.signal, handler)
    if (isResponse(answer) && !answer.ok)
      return failed(`the handler answered ${answer.status}`, !MAY_STILL_RUN.includes(answer.status))
  } catch (error) {
    return failed(told(error), !event.signal.aborted)
  } finally {
    clearInterval(beating)
  }
  return settle === 'manual' ? undefined : committed(event, store.claimsAll)
}

/** A commit that has failed may have been carried out, so nothing is released. */
async function committed(event: WebhookEvent<unknown>, isInbox = false): Promise<string | undefined> {
  try {
    // The first commit of an inbox tells that nothing was put, and makes the job.
    const answer = await event
      .commit()
      .catch((error: unknown) => (isInbox ? event.commit() : Promise.reject(error)))
    return answer === 'lost' ? 'its lease was lost, so another delivery may have run it too' : undefined
  } catch (error) {
    return told(error)
  }
}

/** Not `instanceof`: it may be of another realm. */
const isResponse = (answer: unknown): answer is Response => kindOf(answer) === 'Response'

/** What the handler returns. Rejects with the reason of the signal, if that is aborted before. */
function untilLost(signal: AbortSignal, handler: () => unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    new Promise((started) => started(handler())).then(resolve, reject)
  })
}
