import { checkAuthenticity } from '../checks/authenticity.ts'
import { checkHeaders } from '../checks/headers.ts'
import type { Delivery } from '../delivery.ts'
import { pointerSteps, textAt } from '../lib/json.ts'
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
    return { likely: MILLISECONDS.test(text) ? [`${place} is in milliseconds; it has to be in seconds`] : [] }
  }
  const sentAt = Math.floor(seconds)
  if (!Number.isFinite(sentAt)) return { likely: [] }
  const age = Math.floor(listener.clock.now() / 1000) - sentAt
  const why =
    age > 0
      ? `${place} is ${age} s old by this listener's clock: the delivery was saved and sent again, it waited in a queue, or a clock is wrong; send a new one, or run NTP on both sides`
      : `${place} is ${-age} s ahead of this listener's clock: one of the two clocks is wrong; run NTP on both sides`
  return { likely: [why], sentAt }
}

/** Reads the sender's time, wherever its scheme has it: in words where, exactly as it came, and in seconds since 1970. */
async function sentTime(
  delivery: Delivery,
  listener: Listener<unknown>,
  { scheme: { timestamp, signature } }: ExpectedSender,
) {
  const verification = new Verification(delivery, listener)
  const isItem = timestamp !== undefined && 'item' in timestamp
  if (checkHeaders(verification) === undefined && isItem) await checkAuthenticity(verification) // finds it
  const payload = verification.keepParsed()
  verification.payload = payload
  const seconds = listener.protocol.timeOf(verification)
  if (timestamp === undefined) return { place: 'the time', text: '', seconds }
  if ('member' in timestamp) {
    const text = textAt(payload, pointerSteps(timestamp.member)) ?? ''
    return { place: `${timestamp.member} of the body`, text, seconds }
  }
  const place =
    'header' in timestamp
      ? headerTitle(timestamp.header)
      : `${timestamp.item} of ${headerTitle(signature.headers[0] ?? 'the signature')}`
  return { place, text: verification.timestampText, seconds }
}
