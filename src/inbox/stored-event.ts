import { checkBody } from '../checks/body.ts'
import { checkPayload } from '../checks/payload.ts'
import { type Delivery, fieldText } from '../delivery.ts'
import type { WebhookEvent } from '../event.ts'
import { toEnvelope } from '../handoff/envelope.ts'
import { fromEnvelope } from '../handoff/from-envelope.ts'
import { mediaTypeOf } from '../lib/content-type.ts'
import { memberOf, textOf } from '../lib/member-of.ts'
import { escaped } from '../lib/printable.ts'
import type { EventOf, Listener } from '../listener.ts'
import { Verification } from '../verification.ts'
import { InboxError } from './errors.ts'

/** What the payload was read from, besides the body. */
export type BodyForm = Readonly<Record<'method' | 'contentType', string>>

export function bodyFormOf(delivery: Delivery | undefined): BodyForm {
  return {
    method: delivery?.method ?? 'POST',
    contentType: (delivery && fieldText(delivery, 'content-type')) ?? '',
  }
}

/**
 * An event of the listener, as a worker has it: without `commit()` and `release()`, because the job is settled by how its handler
 * ends. `event.signal` is aborted when the job is lost to another worker, and when the worker has no more time to stop.
 */
export type JobEvent<Given extends Listener<unknown>> = WithoutSettling<EventOf<Given>>

/** Distributes, so that `type` still narrows `payload`. */
type WithoutSettling<Event> = Event extends unknown
  ? Omit<Event, 'commit' | 'release' | 'signal'> & { readonly signal: AbortSignal }
  : never

/** An event in printable ASCII, which Postgres stores in any encoding. The body is in base64, so it may hold any bytes. */
export function storedText(event: WebhookEvent<unknown>, form: BodyForm): string {
  // A job's database is the receiver's own, so a token's claims may stay.
  const json = JSON.stringify({ ...toEnvelope(event), auth: event.auth, ...form })
  return json.replace(/[^ -~]/g, escaped)
}

/**
 * The stored event, whose payload the listener reads again from the exact bytes, with its schema. Nothing is authenticated again: what is
 * in the table was verified when it came.
 *
 * @throws InboxError if the listener reads these bytes no longer, and never will. Any other error may pass.
 */
export async function readAgain<Given extends Listener<unknown>>(
  text: unknown,
  listener: Given,
  signal: AbortSignal,
): Promise<JobEvent<Given>> {
  const { json, of } = parsed(text)
  const { type, unsigned, ...event } = of
  const verification = new Verification(deliveryOf(json, event.rawBody), listener)
  const { delivery, protocol } = verification
  const { readQuery } = protocol
  const contentType = textOf(json, 'contentType')
  verification.parseBody =
    delivery.method === 'GET' && readQuery
      ? () => readQuery(delivery)
      : protocol.readerFor(contentType ? mediaTypeOf(contentType) : undefined)
  const failure = checkBody(verification) ?? (await checkPayload(verification))
  if (verification.problem) throw verification.problem // the schema threw, perhaps because what it asks is away
  if (failure) throw unreadable(failure.detail)
  return {
    ...event,
    ...(type !== undefined && { type }),
    ...(memberOf(json, 'unsigned') !== undefined && { unsigned }),
    payload: verification.payload,
    signal,
  } as JobEvent<Given> // the listener's schema determines the payload's type
}

function parsed(text: unknown): { readonly json: unknown; readonly of: ReturnType<typeof fromEnvelope> } {
  try {
    const json: unknown = JSON.parse(String(text))
    return { json, of: fromEnvelope(json) }
  } catch (cause) {
    throw unreadable('it is no envelope', cause)
  }
}

function deliveryOf(json: unknown, rawBody: Uint8Array): Delivery {
  const method = textOf(json, 'method') ?? 'POST'
  const isGet = method === 'GET'
  return {
    method,
    header: (name) => (name === 'content-type' ? textOf(json, 'contentType') : undefined),
    body: isGet ? new Uint8Array() : rawBody,
    url: isGet ? `?${new TextDecoder().decode(rawBody)}` : undefined,
    sourceIp: undefined,
  }
}

function unreadable(detail: string, cause?: unknown): InboxError {
  return new InboxError(`the listener cannot read the stored event any more: ${detail}`, { cause })
}
