import type { WebhookEvent } from '../event.ts'
import { encodeUtf8 } from '../lib/bytes.ts'
import { ignoreRejection } from '../lib/hooks.ts'
import { kindOf } from '../lib/options.ts'
import { InboxError } from './errors.ts'
import { type Told, tell } from './unasked.ts'

/** `keyOf`, which may return anything: no type keeps JavaScript from it. */
export type KeyOf = (event: WebhookEvent<unknown>) => unknown

const LONGEST_BYTES = 256

/** The key of an event. Without one, because it needs none, or because `keyOf` found none, which is told: no job is lost by it. */
export function orderKeyOf(
  keyOf: KeyOf,
  event: WebhookEvent<unknown>,
  listener: Told | undefined,
): string | undefined {
  const refuse = (error: InboxError) =>
    tell(listener, error, { listenerId: event.listenerId, eventId: event.id })
  try {
    const key = keyOf(event)
    if (key === null) return undefined
    const problem = problemOf(key)
    if (typeof key === 'string' && problem === undefined) return key
    ignoreRejection(key) // of a function that is async
    refuse(new InboxError(`keyOf must return ${problem}`))
  } catch (cause) {
    refuse(new InboxError('keyOf has thrown, so the job is stored without a key', { cause }))
  }
  return undefined
}

const WITHOUT = 'the job is stored without a key'

function problemOf(key: unknown): string | undefined {
  if (typeof key !== 'string')
    return `a text, or null for an event that needs no order, not ${kindOf(key)}: ${WITHOUT}`
  if (key === '') return `null for an event that needs no order, not an empty text: ${WITHOUT}`
  // A unit has one byte at least.
  const isLong = key.length > LONGEST_BYTES || encodeUtf8(key).length > LONGEST_BYTES
  return isLong
    ? `a text of at most ${LONGEST_BYTES} bytes, such as a digest of a longer one: ${WITHOUT}`
    : undefined
}
