import { CodedError } from '../errors.ts'
import { keyOfBytes } from '../event-key.ts'
import { encodeBase64url, encodeUtf8 } from '../lib/bytes.ts'

/** Thrown if the IDs do not give a job name that every queue accepts. */
export class JobIdError extends CodedError<'ERR_JOB_ID'> {
  constructor(problem: string, caller = 'jobId') {
    super('JobIdError', 'ERR_JOB_ID', `${caller}: ${problem}`)
  }
}

/** What identifies an event: a `WebhookEvent`, a `HandedOffEvent` or an `Envelope`. */
interface Identified {
  readonly listenerId: string
  readonly id: string
}

/** In characters: the limit of SQS. */
const LONGEST_JOB_ID = 128

/** Every queue takes these characters. With a dot at either end, two events could share a name. */
const LISTENER_ID = /^[A-Za-z0-9_-](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?$/
const PLAIN_EVENT_ID = /^[A-Za-z0-9_-]+$/

/**
 * Names an event's job: `<listener ID>.<event ID>`. The listener's ID is part of the name because two listeners may receive
 * the same event ID. The name has at most 128 characters, all of them letters, digits, `-`, `_` or `.`, and no two events share
 * one. An event ID with other characters is written as base64url after two dots.
 *
 * @example
 * ```ts
 * jobId({ listenerId: 'orders', id: 'evt_1' }) // 'orders.evt_1'
 * ```
 *
 * @throws JobIdError with the code `ERR_JOB_ID` if the listener ID is empty, has other characters, or has a dot at either end,
 * if an ID is not a string, or if the name would be too long.
 */
export function jobId({ listenerId, id }: Identified): string {
  if (typeof id !== 'string') throw new JobIdError('pass an event with an id')
  if (typeof listenerId !== 'string' || !LISTENER_ID.test(listenerId)) {
    throw new JobIdError(
      'give defineListener an id of letters, digits, `-`, `_` and `.`, without a dot at either end',
    )
  }
  const name = PLAIN_EVENT_ID.test(id) ? `${listenerId}.${id}` : `${listenerId}..${encoded(id)}`
  if (name.length <= LONGEST_JOB_ID) return name
  throw new JobIdError(
    `the name has ${name.length} characters, and queues take ${LONGEST_JOB_ID}: give defineListener a shorter id`,
  )
}

/** Encodes JSON rather than the ID itself, because a lone surrogate has no UTF-8. */
function encoded(id: string): string {
  return encodeBase64url(encodeUtf8(JSON.stringify(id)))
}

/**
 * Names an event's job by a UUIDv8, for queues whose IDs are UUIDs, e.g. pg-boss. It is made of the SHA-256 of both IDs, the listener's
 * and the event's, of any characters and any length. An event always gets the same, on every platform, and no two events share one.
 *
 * @example
 * ```ts
 * await queue.add('webhook', toEnvelope(event), { id: await jobUuid(event) })
 * ```
 *
 * @returns 36 characters, in lower case.
 * @throws JobIdError with the code `ERR_JOB_ID` if an ID is not a string.
 */
export async function jobUuid({ listenerId, id }: Identified): Promise<string> {
  if (typeof listenerId !== 'string' || typeof id !== 'string') {
    throw new JobIdError('pass an event with a listenerId and an id', 'jobUuid')
  }
  return keyOfBytes(JSON.stringify([listenerId, id]))
}
