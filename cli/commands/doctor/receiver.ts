import { problemCode } from '../../../sender/judge.ts'
import type { SignedRequest } from '../../../src/signing/sign.ts'
import { ask, type ProbeAnswer } from './probe.ts'

/** Well formed but wrong: a delivery with it is never accepted, so no event is claimed. */
const NO_SIGNATURE = 'A'.repeat(43)

/** Sends a delivery as it is. */
export function send(
  url: URL,
  { headers, body }: Pick<SignedRequest, 'headers' | 'body'>,
): Promise<ProbeAnswer> {
  return ask(url, { method: 'POST', headers, body })
}

/** Sends a wrongly signed delivery in the specification's form. @param skew Seconds to add to its time. */
export function sendUnsigned(url: URL, body: string, skew: number): Promise<ProbeAnswer> {
  const headers = {
    'content-type': 'application/json',
    'webhook-timestamp': `${Math.floor(Date.now() / 1000) + skew}`,
    'webhook-event-id': crypto.randomUUID(),
    'webhook-signature': NO_SIGNATURE,
  }
  return send(url, { headers, body })
}

/** The `code` of hookgate's problem+json. Undefined if something else answered. */
export function problemCodeOf({ headers, bytes }: ProbeAnswer): string | undefined {
  return headers['content-type']?.startsWith('application/problem+json') ? problemCode(bytes) : undefined
}
