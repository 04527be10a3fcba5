import type { Evidence } from '../../auth/evidence.ts'
import type { SenderScheme } from '../../code-scheme.ts'
import { type Delivery, queryTextOf } from '../../delivery.ts'
import { callHook } from '../../lib/hooks.ts'
import { type Json, memberAt } from '../../lib/json.ts'
import { whenKnown } from '../../lib/maybe-promise.ts'
import type { CompiledScheme, HandshakeAnswerer } from '../../protocol.ts'
import type { Reply } from '../../reply.ts'
import type { HandshakeForm, HandshakeRequest, SchemeOptions } from '../../scheme.ts'
import { onlyOne } from './form-fields.ts'
import { signedRequest } from './signed-text.ts'

/** Compiles the answers to a scheme's handshakes, by whether they are signed with a key that is known. */
export function handshakeAnswers(
  { handshake }: SenderScheme,
  options: SchemeOptions,
): Pick<CompiledScheme, 'answerOpen' | 'answerSigned'> {
  if (handshake === undefined) return {}
  const { signed, bringsItsKey = false, answerUnsigned } = handshake
  const answer = answererOf((...given) => handshake.answer(...given), options)
  if (!signed && !(bringsItsKey && options.secrets !== undefined)) return { answerOpen: answer }
  return { answerOpen: answerUnsigned && answererOf(answerUnsigned, options), answerSigned: answer }
}

function answererOf(answer: HandshakeForm['answer'], options: SchemeOptions): HandshakeAnswerer {
  const silent = options.onHandshake && { ...options, onHandshake() {} }
  return (evidence, tells = true) => {
    const given = tells ? options : (silent ?? options)
    return whenKnown(answer(handshakeRequest(evidence, given, tells), given), (found) =>
      found === undefined || 'reason' in found ? found : { reply: found },
    )
  }
}

/** The parts of a request that a handshake may read. */
function handshakeRequest(
  evidence: Evidence,
  { publicUrl = '' }: SchemeOptions,
  enforced: boolean,
): HandshakeRequest {
  const { auth, delivery, now } = evidence
  const secretId = auth?.method === 'scheme' ? auth.secretId : undefined
  const payload = () => (auth === undefined ? evidence.parsedWhole() : (evidence.payload as Json)) // the parsed body: checkBody has run
  return { ...signedRequest(evidence, publicUrl), query: queryOf(delivery), secretId, now, enforced, payload }
}

/** Reads query parameters. A repeated parameter is undefined. The rest of the URL is never read. */
export function queryOf(delivery: Pick<Delivery, 'url'>): HandshakeRequest['query'] {
  let members: URLSearchParams | undefined
  return (name) => {
    members ??= new URLSearchParams(`?${queryTextOf(delivery) ?? ''}`)
    return onlyOne(members.getAll(name))
  }
}

const LONGEST_ECHO = 4096

/** Echoes a handshake's text as plain text. Undefined if the text is missing or too long. */
export function textReply(text: unknown): Reply | undefined {
  if (typeof text !== 'string' || text === '' || text.length > LONGEST_ECHO) return undefined
  return {
    status: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    body: text,
  }
}

/** A JSON reply. */
export function jsonReply(value: Json): Reply {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) }
}

/** A reply without a body. */
export function emptyReply(status: number, headers: Reply['headers'] = {}): Reply {
  return { status, headers, body: '' }
}

/** Answers the signed delivery without events by which LINE and Xero test an endpoint. */
export const NO_EVENTS: HandshakeForm = {
  signed: true,
  answer(request) {
    const events = memberAt(request.payload(), ['events'])
    return Array.isArray(events) && events.length === 0 ? emptyReply(200) : undefined
  },
}

const LONGEST_SECRET = 256
const PRINTABLE = /^[!-~]+$/

/** Whether a text that a handshake brings can be a secret. */
export function isSecret(text: string): boolean {
  return text.length <= LONGEST_SECRET && PRINTABLE.test(text)
}

/** Passes a handshake's secret to `onHandshake`. Undefined if the text cannot be a secret. */
export function acceptSecret(
  secret: string,
  onHandshake: SchemeOptions['onHandshake'],
  reply: Reply,
): Reply | undefined {
  if (!isSecret(secret)) return undefined
  callHook(onHandshake, { secret })
  return reply
}
