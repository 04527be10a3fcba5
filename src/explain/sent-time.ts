import { checkAuthenticity } from '../checks/authenticity.ts'
import { checkHeaders } from '../checks/headers.ts'
import { type Delivery, headerOf } from '../delivery.ts'
import { memberAt, pointerSteps } from '../lib/json.ts'
import type { Listener } from '../listener.ts'
import { Verification } from '../verification.ts'
import { headerTitle, type ExpectedSender } from './expected-sender.ts'

/** The time that a delivery carries. */
export interface SentTime {
  /** Where it is, in words. */
  readonly place: string
  /** Exactly as it came. Empty if it is missing. */
  readonly text: string
  /** Seconds since 1970. NaN if it is missing or malformed. */
  readonly seconds: number
}

/** Reads the sender's time, wherever its scheme has it. */
export async function sentTime(
  delivery: Delivery,
  listener: Listener<unknown>,
  { scheme: { timestamp, signature } }: ExpectedSender,
): Promise<SentTime> {
  if (listener.auth.protocol === undefined) {
    const text = String(headerOf(delivery, 'webhook-timestamp') ?? '')
    return { place: 'Webhook-Timestamp', text, seconds: text === '' ? Number.NaN : Number(text) }
  }
  const verification = new Verification(delivery, listener)
  if (checkHeaders(verification) === undefined) await checkAuthenticity(verification) // finds an item's time
  const payload = verification.keepParsed()
  verification.payload = payload
  const seconds = verification.protocol.timeOf(verification)
  if (timestamp === undefined) return { place: 'the time', text: '', seconds }
  if ('member' in timestamp) {
    const text = String(memberAt(payload, pointerSteps(timestamp.member)) ?? '')
    return { place: `${timestamp.member} of the body`, text, seconds }
  }
  const place =
    'header' in timestamp
      ? headerTitle(timestamp.header)
      : `${timestamp.item} of ${headerTitle(signature.headers[0] ?? 'the signature')}`
  return { place, text: verification.timestampText, seconds }
}
