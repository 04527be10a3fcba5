import { coverageOf, hasKeyPair, maySignQuery } from '../../../src/schemes/kit/compile-scheme.ts'
import type { SenderScheme } from '../../../src/schemes/kit/index.ts'
import { addressOf, withQueryOf } from '../../../src/schemes/kit/signed-url.ts'
import { type SignAsOptions, signAs } from '../../../src/signing/sign-as.ts'
import { sampleOf } from '../../signing/samples.ts'
import { nowSeconds, withMember, withTime } from '../../signing/scheme-body.ts'
import { type AnyScheme, bringsSecret, canSign } from '../../signing/schemes.ts'
import { checkProxyAnswer } from './delivery.ts'
import { type Finding, fail, ok, skip, skipped, type UrlFindings, warn, within } from './finding.ts'
import { problemCodeOf, send } from './probe.ts'
import { checkClock } from './receiver-clock.ts'

/** Refused after the signature check, because it is not JSON. Has white space that proxies tend to rewrite. */
const NOT_JSON = '{ "doctor" :\t[ 1.0 , "\\u00e9é" ]\r\n'
/** An ID that is refused after the signature and the time are checked, before the claim. */
const TOO_LONG = 'doctor'.repeat(50)

const CLOCK_MS = 4500
const COMPARE = 'compare the clocks yourself: date -u'

/** Signs as the sender does, only deliveries that the listener refuses before their event is claimed: no handler runs. */
export async function checkSender(
  url: URL,
  factory: AnyScheme,
  secret: string | undefined,
  publicUrl: URL,
): Promise<UrlFindings> {
  const { sender } = factory.scheme
  if (secret === undefined)
    return skipped(
      'no secret was given',
      bringsSecret(factory.scheme)
        ? `start hookgate listen --scheme ${factory.scheme.name}, or your program with onHandshake, and have ${sender} call its URL: set HOOKGATE_SECRET to what it prints`
        : 'set HOOKGATE_SECRET, or give --secret-file FILE',
    )
  if (!canSign(factory) || hasKeyPair(factory.scheme))
    return skipped(`only ${sender} can sign its deliveries`, `send a test delivery from ${sender}`)
  if (!isRefused(factory.scheme))
    return skipped(
      `every signed delivery of ${sender} runs the handler`,
      'send one with hookgate send --scheme NAME',
    )
  const sign = { secret, publicUrl: withQueryOf(publicUrl.href, url.href) }
  const body = factory.scheme.content?.[0] === 'form' ? sampleOf(factory.scheme) : NOT_JSON
  const request = await signAs(factory, { ...sign, body, eventId: TOO_LONG }).catch(() => undefined)
  if (request === undefined)
    return skipped(`${sender} signs values of the body`, 'send one with hookgate send --scheme NAME')
  const target = maySignQuery(factory.scheme) ? new URL(withQueryOf(url.href, publicUrl.href)) : url
  const answer = await send(new URL(addressOf(target.href, request)), request)
  const code = problemCodeOf(answer)
  const isSigned = code === 'body_not_json' || code === 'event_id_malformed'
  const clock = isSigned
    ? await within(CLOCK_MS, checkSenderClock(target, factory, sign), (...why) => [skip(...why)])
    : [skip('needs a signature that the receiver accepts', 'see signature')]
  return {
    'clock.receiver': clock,
    proxy: checkProxyAnswer(isSigned ? undefined : answer),
    signature: [signatureFinding(code, isSigned, sender)],
  }
}

/** Whether the listener refuses what is not JSON, or an ID that is too long, which is in a header. */
function isRefused({ content: [form] = ['json'], eventId }: SenderScheme): boolean {
  return form === 'json' || (eventId !== undefined && 'header' in eventId)
}

function signatureFinding(code: string | undefined, isSigned: boolean, sender: string): Finding {
  if (isSigned) return ok(`the receiver accepts signatures as ${sender} makes them with this secret`)
  if (code === undefined) return skip('hookgate does not answer the delivery', 'fix proxy first')
  if (code !== 'unauthorized') return warn(`the receiver refuses with ${code}`, 'see proxy')
  return fail(
    'the receiver does not accept this signature',
    'give both sides the same secret; if they have it, a proxy changes the body or a signed header',
  )
}

/** Finds the receiver's time by deliveries whose ID is too long: that is checked after the time. */
async function checkSenderClock(
  url: URL,
  factory: AnyScheme,
  keys: Pick<SignAsOptions, 'secret' | 'publicUrl'>,
): Promise<Finding[]> {
  const { sender, timestamp: time, eventId } = factory.scheme
  const isSigned = coverageOf(factory.scheme) === 'body'
  if (time?.of !== 'attempt' || time.toleranceSeconds === undefined || !isSigned)
    return [skip(`${sender} signs no time that must be recent, so its deliveries cannot tell`, COMPARE)]
  if (eventId === undefined || 'item' in eventId)
    return [skip(`a delivery of ${sender} with the right time would run the handler`, COMPARE)]
  const body = sampleOf(factory.scheme)
  const withId = 'member' in eventId ? withMember(body, eventId.member, TOO_LONG) : body
  return checkClock(
    async (skew) => {
      const timestamp = nowSeconds() + skew
      const sent = { eventId: TOO_LONG, timestamp, body: withTime(withId, time, timestamp) }
      const request = await signAs(factory, { ...keys, ...sent })
      return send(new URL(addressOf(url.href, request)), request)
    },
    {
      old: time.toleranceSeconds,
      ahead: Math.min(time.aheadSeconds ?? time.toleranceSeconds, time.toleranceSeconds),
    },
  )
}
