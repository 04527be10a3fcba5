import { KeySetError, type Verdict, verify } from 'hookgate'
import { type Explanation, explain } from 'hookgate/explain'
import { asDelivery } from './delivery.ts'
import type { Entered } from './form.ts'
import { receiverFor } from './listener.ts'
import { allSchemes } from './senders.ts'

/** A verdict with its explanation, or why there is none. */
export type Judged =
  | { readonly verdict: Verdict; readonly explanation: Explanation }
  | { readonly verdict: undefined; readonly title: string; readonly problem: string }

/** Verifies what the reader has entered, as an adapter would, and explains the verdict. */
export async function judge(entered: Entered): Promise<Judged> {
  if (isTooLong(entered)) {
    const problem = 'The body may have 512 KB, and each other field 32 KB.'
    return { verdict: undefined, title: 'Too much to try here', problem }
  }
  try {
    const { listener, known } = await receiverFor(entered)
    const delivery = { ...asDelivery(entered.headers, entered.bytes), url: entered.url || undefined }
    const verdict = await verify(delivery, listener)
    const schemes = isPerhapsAnotherSenders(verdict) ? await allSchemes() : []
    return { verdict, explanation: await explain(delivery, verdict, listener, { ...known, schemes }) }
  } catch (error) {
    const title = error instanceof KeySetError ? 'Undecided: no keys' : 'Not set up yet'
    return { verdict: undefined, title, problem: error instanceof Error ? error.message : String(error) }
  }
}

const MOST_BYTES = 524_288
const LONGEST_FIELD = 32_768

/** What is tried reads each field again and again: a stranger's capture must not stall the page. Servers take about 16 KB of headers. */
const isTooLong = ({ bytes, body, ...fields }: Entered) =>
  bytes.length > MOST_BYTES || Object.values(fields).some((text) => `${text}`.length > LONGEST_FIELD)

/** Without its headers, or with another signature, the delivery may come from another sender. */
function isPerhapsAnotherSenders(verdict: Verdict): boolean {
  const reasons = /^(?:header_missing|auth_missing|signature_mismatch)$/
  return !verdict.ok && !verdict.handshake && reasons.test(verdict.reason)
}
