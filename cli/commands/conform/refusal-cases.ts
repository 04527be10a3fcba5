import type { Reason } from '../../../src/reason.ts'
import { WRONG_PARTS } from '../../../src/testing/wrong-parts.ts'
import { WRONG_REQUESTS } from '../../../src/testing/wrong-requests.ts'
import { type Case, refused, type Sign } from './case.ts'
import { BODY, type SigningMethod } from './signing-method.ts'

/** Headers to send twice. */
const REPEATED = ['content-type', 'webhook-timestamp', 'webhook-event-id']

/** Each delivery is new, and has exactly one thing wrong. */
export function refusalCases({ sign, header, wrong, refusals }: SigningMethod): readonly Case[] {
  return [
    ...refusals,
    ...[...WRONG_REQUESTS, ...wrong].map(({ name, reason, change }) =>
      refused(name, reason, async () => change(await sign())),
    ),
    ...WRONG_PARTS.map(({ name, reason, change }) =>
      refused(name, reason, async () => sign(change(newParts()))),
    ),
    ...REPEATED.map((name) => repeated(name, 'header_repeated', sign)),
    repeated(header, header === 'authorization' ? 'token_invalid' : 'signature_mismatch', sign),
  ]
}

function newParts() {
  const timestamp = `${Math.floor(Date.now() / 1000)}`
  return { timestamp, eventId: crypto.randomUUID(), body: BODY }
}

function repeated(header: string, reason: Reason, sign: Sign): Case {
  return refused(`${header} twice`, reason, async () => {
    const request = await sign()
    const value = request.headers[header] ?? ''
    return { ...request, headers: { ...request.headers, [header]: [value, value] } }
  })
}
