import { encodeBase64url } from '../lib/base64url.ts'

/** In characters. SQS takes no more. */
const LONGEST_JOB_ID = 128

/** What every queue takes. A dot at an end would blur where the event ID begins. */
const LISTENER_ID = /^[A-Za-z0-9_-](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?$/
const PLAIN_EVENT_ID = /^[A-Za-z0-9_-]+$/

/**
 * The name of an event's job: `<listener ID>.<event ID>`. Two listeners may receive the same event ID, and neither may keep
 * the other's job out of the queue. Holds letters, digits, `-`, `_` and `.` only, at most 128 characters, and differs for any
 * two events. An event ID with other characters follows two dots, as base64url.
 *
 * @example
 * ```ts
 * jobId({ listenerId: 'orders', id: 'evt_1' }) // 'orders.evt_1'
 * ```
 *
 * @throws RangeError for a listener ID with other characters, with a dot at an end, or empty; and when the two IDs together
 * are too long.
 */
export function jobId({ listenerId, id }: { readonly listenerId: string; readonly id: string }): string {
  if (!LISTENER_ID.test(listenerId)) {
    throw new RangeError(
      'jobId: the listener id may hold letters, digits, `-`, `_` and, inside, `.`: give defineListener such an id',
    )
  }
  const name = PLAIN_EVENT_ID.test(id) ? `${listenerId}.${id}` : `${listenerId}..${encoded(id)}`
  if (name.length <= LONGEST_JOB_ID) return name
  throw new RangeError(
    `jobId: ${name.length} characters are more than ${LONGEST_JOB_ID}: give defineListener a shorter id`,
  )
}

/** As JSON, because a lone surrogate has no UTF-8 of its own. */
function encoded(id: string): string {
  return encodeBase64url(new TextEncoder().encode(JSON.stringify(id)))
}
