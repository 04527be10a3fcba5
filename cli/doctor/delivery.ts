import { signHmac } from '../../src/signing/sign.ts'
import { type Finding, notesOf } from './finding.ts'
import { problemCode, type Receiver } from './receiver.ts'

const HOUR = 3600
/** JSON that proxies like to rewrite. */
const ODD_BODY = '{ "doctor" :\t[ 1.0 , "\\u00e9é" ]\r\n}'

type Faults = { readonly [code: string]: readonly [seen: string, fix: string] }

const BYTE_FOR_BYTE = 'let the proxy in front pass bodies on, byte for byte'

/** Infers from the answer what happened on the way to the receiver. */
const ON_THE_WAY: Faults = {
  header_missing: ['the Webhook-* headers do not arrive', 'let the proxy in front pass them on'],
  header_repeated: ['a header arrives twice', 'let the proxy in front pass headers on, and add none'],
  content_type_not_json: [
    'Content-Type is changed on its way',
    'let the proxy in front leave Content-Type alone',
  ],
  content_encoding_not_identity: [
    'the body is compressed on its way',
    'switch compression of requests off in the proxy',
  ],
  body_not_json: ['the body is no JSON when it arrives', BYTE_FOR_BYTE],
  body_too_large: ['the body is larger when it arrives', BYTE_FOR_BYTE],
  body_incomplete: ['the body does not arrive whole', BYTE_FOR_BYTE],
}

/** Whether headers and body reach hookgate as they were sent. Nothing is accepted: too old, and wrongly signed. */
export async function checkProxy(receiver: Receiver): Promise<Finding[]> {
  const { ok, warn, fail } = notesOf('proxy')
  const code = problemCode(await receiver.deliver(ODD_BODY, -HOUR))
  if (code === undefined) {
    const fix = 'let this path pass: hookgate checks it itself'
    return [fail('something in front of hookgate answers deliveries', fix)]
  }
  if (code === 'timestamp_out_of_range') return [ok('the Webhook-* headers and the body arrive')]
  if (code === 'unauthorized') {
    return [
      warn('a delivery that is an hour old is not too old', 'see clock.receiver, or lower toleranceSeconds'),
    ]
  }
  const fault = ON_THE_WAY[code]
  return [fault ? fail(...fault) : warn(`a delivery is refused with ${code}`, 'see docs/checks.md')]
}

const AGAINST_THE_SECRET: Faults = {
  unauthorized: [
    'the receiver does not accept this signature',
    'give both sides the same secret; if they have it, a proxy changes the body',
  ],
  event_id_not_uuid_v4: ['--event-id is no UUID v4', 'take the ID of an accepted event'],
}

/** Whether the secret is the receiver's: a delivery of an event that is done is a duplicate, and no handler runs. */
export async function checkSignature(
  receiver: Receiver,
  secret: string | undefined,
  eventId: string | undefined,
): Promise<Finding[]> {
  const { ok, warn, fail, skip } = notesOf('signature')
  if (eventId === undefined)
    return [skip('no event that is done was named', 'give --event-id ID of an accepted event')]
  if (secret === undefined)
    return [skip('no secret was given', 'set HOOKGATE_SECRET, or give --secret-file FILE')]
  const { headers, body } = await signHmac({ secret, body: ODD_BODY, eventId })
  const answer = await receiver.deliver(body, 0, headers)
  const code = problemCode(answer) ?? `${answer.status}`
  if (code === 'event_duplicate') return [ok('the receiver has this secret, and remembers the event')]
  if (code === 'event_in_progress') return [skip('the event is being worked on', 'try again when it is done')]
  if (answer.status < 300) {
    const fix = 'take the ID of an accepted event; if it was one, see docs/stores.md'
    return [fail('the event was not done: its handler has just run', fix)]
  }
  const fault = AGAINST_THE_SECRET[code]
  return [fault ? fail(...fault) : warn(`the receiver refuses with ${code}`, 'see the other findings')]
}
