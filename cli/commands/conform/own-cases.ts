import type { Reason } from '../../../src/reason.ts'
import { WRONG_PARTS } from '../../../src/testing/wrong-parts.ts'
import { WRONG_REQUESTS, withHeader } from '../../../src/testing/wrong-requests.ts'
import { accepted, type Case, duplicate, passes, refused, type Sign } from './case.ts'
import { BODY, type SigningMethod } from './methods.ts'

const ONCE = 'Run an event once: answer its ID with 409 for the next 7 days.'
const ANY_CASE = 'Event IDs that differ only in letter case are one event.'
const EXACT_BYTES = 'Sign and verify the exact bytes of the body, whatever JSON they hold.'
const TOLERANCE = 'Accept a Webhook-Timestamp up to 300 s from now, either way.'
const CONTENT_TYPE = 'Read Content-Type as a media type: any case, parameters allowed.'
const AUTH_FIRST = 'Authenticate the sender before you reveal that you know the event.'
const CLAIM_LAST = 'Remember an event only after its delivery has passed every check.'
const LIMIT = 'Accept a body of 65,536 bytes.'

const encoder = new TextEncoder()
const bytes = (text: string) => encoder.encode(text)
const secondsFromNow = (seconds: number) => `${Math.floor(Date.now() / 1000) + seconds}`

/** JSON that changes when a receiver parses and prints the body again. */
const BODIES: readonly (readonly [name: string, body: string, rule?: string])[] = [
  ['a body with spaces and a line break', '{ "a" : 1.0 ,\n"b":[ ] }'],
  ['a body beyond ASCII', '{"name":"Zoë 🙂"}'],
  ['a body with escapes', '{"a":"\\u00e9\\/"}'],
  ['a body that is a number', '12'],
  ['an empty object', '{}'],
  ['a repeated member', '{"a":1,"a":2}'],
  ['a body of 65,536 bytes', `"${'x'.repeat(65_534)}"`, LIMIT],
]

/** Three events are accepted. Most other cases are duplicates of the first. */
export function eventCases({ sign, header, variants }: SigningMethod): readonly Case[] {
  const [first, upper, late] = [crypto.randomUUID(), crypto.randomUUID().toUpperCase(), crypto.randomUUID()]
  const again = (parts: Parameters<Sign>[0] = {}) => sign({ eventId: first, ...parts })
  const unsigned = async (eventId: string) => withHeader(await sign({ eventId }), header, 'x')
  const typed = (type: string) => async () => withHeader(await again(), 'content-type', type)
  return [
    accepted('a delivery', 'Accept a correctly signed delivery.', () => again()),
    duplicate('the same event, newly signed', ONCE, () => again()),
    duplicate('the same event with another body', ONCE, () => again({ body: bytes('{"another":true}') })),
    duplicate('the same event in upper case', ANY_CASE, () => sign({ eventId: first.toUpperCase() })),
    passes('290 s old', TOLERANCE, () => again({ timestamp: secondsFromNow(-290) })),
    passes('290 s ahead', TOLERANCE, () => again({ timestamp: secondsFromNow(290) })),
    passes('a content type with a charset', CONTENT_TYPE, typed('application/json; charset=utf-8')),
    passes('a content type in capitals', CONTENT_TYPE, typed('Application/JSON')),
    ...BODIES.map(([name, body, rule = EXACT_BYTES]) =>
      passes(name, rule, () => again({ body: bytes(body) })),
    ),
    ...variants.map(({ name, rule, sign }) => passes(name, rule, () => sign({ eventId: first }))),
    refused('the same event with a wrong signature', 'signature_mismatch', () => unsigned(first), AUTH_FIRST),
    accepted('an event ID in upper case', 'Accept a UUID in any letter case.', () =>
      sign({ eventId: upper }),
    ),
    duplicate('the same in lower case', ANY_CASE, () => sign({ eventId: upper.toLowerCase() })),
    refused('a new event with a wrong signature', 'signature_mismatch', () => unsigned(late)),
    accepted('the same event, correctly signed', CLAIM_LAST, () => sign({ eventId: late })),
  ]
}

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
