import { checkAuthenticity } from '../checks/authenticity.ts'
import { checkHeaders } from '../checks/headers.ts'
import { type Delivery, headerOf } from '../delivery.ts'
import { memberAt, pointerSteps } from '../lib/json.ts'
import type { Listener } from '../listener.ts'
import { Verification } from '../verification.ts'
import { type ExpectedSender, headerTitle } from './expected-sender.ts'

const MILLISECONDS = /^[0-9]{13}$/

/** Why a time was refused. Nothing is likely if it is missing or malformed in another way. */
export async function wrongTime(
  delivery: Delivery,
  reason: 'timestamp_malformed' | 'timestamp_out_of_range',
  listener: Listener<unknown>,
  expected: ExpectedSender,
): Promise<{ readonly likely: readonly string[]; readonly sentAt?: number }> {
  const { place, text, seconds } = await sentTime(delivery, listener, expected)
  if (reason === 'timestamp_malformed') {
    const isInMilliseconds = MILLISECONDS.test(text)
    return { likely: isInMilliseconds ? [`${place} is in milliseconds; it has to be in seconds`] : [] }
  }
  const sentAt = Math.floor(seconds)
  if (!Number.isFinite(sentAt)) return { likely: [] }
  const away = Math.floor(listener.clock.now() / 1000) - sentAt
  const when = `${Math.abs(away)} s ${away > 0 ? 'before' : 'after'} the time of this listener`
  const why =
    away > 0
      ? 'a delivery that was saved and sent again, a long queue before the listener, or a wrong clock'
      : 'a wrong clock on either side'
  return { likely: [`${place} is ${when}: ${why}`], sentAt }
}

/** Reads the sender's time, wherever its scheme has it: in words where, exactly as it came, and in seconds since 1970. */
async function sentTime(
  delivery: Delivery,
  listener: Listener<unknown>,
  { scheme: { timestamp, signature } }: ExpectedSender,
) {
  if (listener.protocol.scheme === undefined) {
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
