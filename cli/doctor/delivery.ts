import { signHmac } from '../../src/signing/sign.ts'
import { type Finding, notesOf } from './finding.ts'
import { problemCode, type Receiver } from './receiver.ts'

const HOUR = 3600
/** JSON that proxies like to rewrite. */
const ODD_BODY = '{ "doctor" :\t[ 1.0 , "\\u00e9é" ]\r\n}'

/** Whether headers and body reach hookgate as they were sent. Nothing is accepted: too old, and wrongly signed. */
export async function checkProxy(receiver: Receiver): Promise<Finding[]> {
  const { ok, warn, fail } = notesOf('proxy')
  const code = problemCode(await receiver.deliver(ODD_BODY, -HOUR))
  switch (code) {
    case 'timestamp_out_of_range':
      return [ok('the Webhook-* headers and the body arrive')]
    case 'header_missing':
      return [fail('the Webhook-* headers do not arrive', 'let the proxy in front pass them on')]
    case 'header_repeated':
      return [fail('a header arrives twice', 'let the proxy in front pass headers on, and add none')]
    case 'content_type_not_json':
      return [fail('Content-Type is changed on its way', 'let the proxy in front leave Content-Type alone')]
    case 'content_encoding_not_identity':
      return [fail('the body is compressed on its way', 'switch compression of requests off in the proxy')]
    case 'body_not_json':
    case 'body_too_large':
    case 'body_incomplete':
      return [
        fail(
          `the body is changed on its way (${code})`,
          'let the proxy in front pass bodies on, byte for byte',
        ),
      ]
    case 'unauthorized':
      return [
        warn(
          'a delivery that is an hour old is not too old',
          'see clock.receiver, or lower toleranceSeconds',
        ),
      ]
    case undefined:
      return [
        fail(
          'something in front of hookgate answers deliveries',
          'let this path pass: hookgate checks it itself',
        ),
      ]
    default:
      return [warn(`a delivery is refused with ${code}`, 'see docs/checks.md')]
  }
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
  const code = problemCode(answer)
  if (code === 'event_duplicate') return [ok('the receiver has this secret, and remembers the event')]
  if (code === 'unauthorized') {
    return [
      fail(
        'the receiver does not accept this signature',
        'give both sides the same secret; if they have it, a proxy changes the body',
      ),
    ]
  }
  if (code === 'event_id_not_uuid_v4')
    return [fail('--event-id is no UUID v4', 'take the ID of an accepted event')]
  if (code === 'event_in_progress') return [skip('the event is being worked on', 'try again when it is done')]
  if (answer.status < 300) {
    return [
      fail(
        'the event was not done: its handler has just run',
        'take the ID of an accepted event; see docs/stores.md if it was one',
      ),
    ]
  }
  return [warn(`the receiver refuses with ${code ?? answer.status}`, 'see the other findings')]
}
