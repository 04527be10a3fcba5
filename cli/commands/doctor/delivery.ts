import { signHmac } from '../../../src/signing/sign.ts'
import { type Finding, fail, ok, skip, warn } from './finding.ts'
import { gatekeeperOf } from './gatekeepers.ts'
import { type ProbeAnswer, problemCodeOf, send, sendWronglySigned } from './probe.ts'

const HOUR = 3600
/** JSON that proxies tend to rewrite. */
const ODD_BODY = '{ "doctor" :\t[ 1.0 , "\\u00e9é" ]\r\n}'

type Faults = { readonly [code: string]: readonly [seen: string, fix: string] }

const LET_THROUGH = 'let this path through: hookgate authenticates it'
const BYTE_FOR_BYTE = 'make the proxy pass bodies on byte for byte'

/** Infers from the answer what happened on the way to the receiver. */
const ON_THE_WAY: Faults = {
  header_missing: [
    'the Webhook-* headers do not arrive',
    'make the proxy pass them on; if the listener is for another sender, such as Slack, give --scheme NAME',
  ],
  header_repeated: ['a header arrives twice', 'make the proxy pass headers on as they are'],
  content_type_not_json: ['a proxy changes Content-Type', 'make the proxy leave Content-Type alone'],
  content_encoding_not_identity: ['a proxy compresses the body', 'turn off request compression in the proxy'],
  body_not_json: ['the body that arrives is not JSON', BYTE_FOR_BYTE],
  body_too_large: ['the body arrives longer than it was sent', BYTE_FOR_BYTE],
  body_incomplete: ['the body arrives incomplete', BYTE_FOR_BYTE],
}

/** Checks that headers and body reach hookgate as sent. The delivery is too old and wrongly signed, so never accepted. */
export async function checkProxy(url: URL): Promise<Finding[]> {
  const code = problemCodeOf(await sendWronglySigned(url, ODD_BODY, -HOUR))
  if (code === undefined) {
    return [fail('something in front of hookgate answers deliveries', LET_THROUGH)]
  }
  if (code === 'timestamp_out_of_range')
    return [ok('the Webhook-* headers and a body in JSON arrive; only signature tells whether byte for byte')]
  if (code === 'unauthorized') {
    return [
      warn(
        'the receiver accepts timestamps that are an hour old',
        'see clock.receiver, or lower toleranceSeconds',
      ),
    ]
  }
  const fault = ON_THE_WAY[code]
  return [fault ? fail(...fault) : warn(`a delivery is refused with ${code}`, 'see docs/how-it-works.md')]
}

/** @param answer To a signed delivery. Undefined if its signature was accepted. */
export function checkProxyAnswer(answer: ProbeAnswer | undefined): readonly Finding[] {
  if (answer === undefined) return [ok('the signed headers and the body arrive')]
  const code = problemCodeOf(answer)
  if (code === undefined) {
    const { name = 'something in front of hookgate', fix = LET_THROUGH } = gatekeeperOf(answer) ?? {}
    return [fail(`${name} answers deliveries`, fix)]
  }
  if (code === 'header_missing')
    return [fail('a header of the sender does not arrive', "make the proxy pass the sender's headers on")]
  const fault = ON_THE_WAY[code]
  return [fault ? fail(...fault) : skip('needs a signature that the receiver accepts', 'see signature')]
}

const AGAINST_THE_SECRET: Faults = {
  unauthorized: [
    'the receiver does not accept this signature',
    'give both sides the same secret; if they have the same, a proxy changes the body',
  ],
  event_id_not_uuid_v4: ['--event-id is not a UUID v4', 'give the ID of an accepted event'],
}

/** Checks the secret with a delivery of a finished event. It is a duplicate, so no handler runs. */
export async function checkSignature(
  url: URL,
  secret: string | undefined,
  eventId: string | undefined,
): Promise<Finding[]> {
  if (eventId === undefined)
    return [skip('no accepted event was given', 'give --event-id ID of an accepted event')]
  if (secret === undefined)
    return [skip('no secret was given', 'set HOOKGATE_SECRET, or give --secret-file FILE')]
  const answer = await send(url, await signHmac({ secret, body: ODD_BODY, eventId }))
  const code = problemCodeOf(answer) ?? `${answer.status}`
  if (code === 'event_duplicate') return [ok('the receiver has this secret, and remembers the event')]
  if (code === 'event_in_progress')
    return [skip('the event is still in progress', 'try again when it is finished')]
  if (answer.status < 300) {
    const fix = 'give the ID of an accepted event; if you did, the store forgot it: see docs/stores.md'
    return [fail('the event was new, so its handler has just run', fix)]
  }
  const fault = AGAINST_THE_SECRET[code]
  return [fault ? fail(...fault) : warn(`the receiver refuses with ${code}`, 'see the other findings')]
}
