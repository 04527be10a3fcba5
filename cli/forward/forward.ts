import type { ServerResponse } from 'node:http'
import { sendReply } from '../../adapters/kit/outcome.ts'
import { keep, settle } from '../../adapters/kit/settle.ts'
import { keyOfBytes } from '../../src/event-key.ts'
import type { Listener, WebhookEvent } from '../../src/index.ts'
import { parseJson } from '../../src/lib/json.ts'
import type { MaybePromise } from '../../src/lib/maybe-promise.ts'
import { textOf } from '../../src/lib/member-of.ts'
import { RETENTION_SECONDS } from '../../src/limits.ts'
import { STATUS } from '../../src/reason.ts'
import { signsUrl } from '../../src/schemes/kit/compile-scheme.ts'
import type { SenderScheme } from '../../src/schemes/kit/index.ts'
import { signedBytes } from '../../src/schemes/kit/signed-text.ts'
import { urlParts } from '../../src/schemes/kit/signed-url.ts'
import { replyTo } from '../../src/verdict.ts'
import type { Verification } from '../../src/verification.ts'
import { remark } from '../command-line/output.ts'
import { InFlight } from '../lib/in-flight.ts'
import { throttled } from '../lib/throttle.ts'
import { saidTimeOf } from '../listen/report.ts'
import type { AnswerEvent } from '../listen/webhook-server.ts'
import { type AppAnswer, type AppSilence, appAt } from './app.ts'
import { appHeaders } from './app-headers.ts'
import { type Forwarding, senderHeaders } from './forward-options.ts'

/** Releases an event that the app never saw, and lets the lease expire if the app may still be working. */
const STATUSES = { unreachable: 502, unknown: 504 }

/** Each holds its body, its payload and two connections: 200 KB or more. */
const MOST_IN_FLIGHT = 1024
const TOO_MANY: AppSilence = {
  kind: 'unreachable',
  problem: `${MOST_IN_FLIGHT} deliveries are already waiting for the app`,
  ms: 0,
}

export interface Forwarder {
  readonly answer: AnswerEvent
  /** Waits until every forwarded event is settled, even if its sender has left. */
  close(): Promise<void>
}

/** Forwards accepted events to the app, settles them by its answer, and passes that answer to the sender. */
export function forwarder(
  { target, timeoutSeconds, ...forwarding }: Forwarding,
  publicUrl: URL,
  scheme: SenderScheme | undefined,
): Forwarder {
  const app = appAt(target, timeoutSeconds * 1000)
  const options = { ...forwarding, ofSender: senderHeaders(forwarding, scheme), publicUrl }
  const signsQuery = scheme !== undefined && signsUrl(scheme)
  const inFlight = new InFlight()
  const complain = throttled(remark)
  const pass: AnswerEvent = async (claimed, request, response) => {
    const { event, listener, verification, isReplay } = claimed
    const hasRoom = inFlight.size < MOST_IN_FLIGHT // this one does not count yet
    const isSigned = forwarding.secret !== undefined
    const key = isSigned
      ? await signedEventId(verification, event, isReplay)
      : isReplay
        ? (verification.claimKeys[0] ?? event.id)
        : await appEventId(verification, event)
    const sentAt = saidTimeOf(event, listener.protocol)
    // The query of a GET is the event's body.
    const { query } = urlParts(signsQuery && request.method === 'POST' ? (request.url ?? '') : '')
    const asked = hasRoom
      ? app.ask(appHeaders({ event, key, sentAt, isReplay }, request, options), event.rawBody, query)
      : TOO_MANY
    keep(claimed) // until the app has answered: what follows does not throw before `settle`
    const answer = await asked
    // Before the sender gets the answer, so that its next attempt finds the event settled.
    if (isSigned && isDuplicate(answer)) {
      await settle(claimed, DONE)
      const status = listener.protocol.statuses.event_duplicate
      sendReply(response, replyTo({ ok: false, reason: 'event_duplicate', status, detail: '' }))
      return answer
    }
    await settle(claimed, answer.kind === 'answered' ? answer.status : STATUSES[answer.kind])
    reply(response, answer, listener)
    if (answer.kind !== 'answered') complain(complaint(answer, listener))
    return answer
  }
  return {
    answer: (...given) => inFlight.add(() => pass(...given)),
    async close() {
      await inFlight.settled()
      app.close()
    },
  }
}

/**
 * What the app gets as `Webhook-Event-Id`, so that it can use it as a key. An ID that nobody signs could name another event, so
 * the signed bytes stand for it.
 */
async function appEventId(
  verification: Verification,
  { id, rawBody, unsigned }: WebhookEvent<unknown>,
): Promise<string> {
  const { protocol, claimKeys, retentionMs } = verification
  if (protocol.dedupe === 'off') return keyOfBytes(rawBody)
  if (retentionMs !== undefined)
    return keyOfBytes(JSON.stringify([...claimKeys, periodOf(verification, retentionMs)]))
  if (protocol.dedupe !== 'id') return claimKeys[0] ?? id // the signed bytes, with their topic
  return unsigned?.includes('id') ? keyOfBytes(signedBytes(verification)) : id
}

/** What is forgotten early here is another event when it comes again, but the app may remember its key for longer. */
const periodOf = ({ now }: Verification, retentionMs: number): number =>
  Math.floor((now * 1000) / retentionMs)

/** Where a UUID has its version. */
const VERSION_AT = 14

/**
 * `Webhook-Id` of a signed delivery, or `Webhook-Event-Id` in hookgate's own format: a version 4 UUID, which hookgate's scheme requires. The same for every attempt of an
 * event, and another for each listener and sender, as they may share the app. Random if the event claims nothing. What is forgotten
 * here before the app forgets it may come again as another event, so it has a new ID in each such period.
 */
async function signedEventId(
  verification: Verification,
  { listenerId, auth }: WebhookEvent<unknown>,
  isReplay: boolean,
): Promise<string> {
  const claimed = isReplay ? verification.claimKeys[0] : await keyOfAttempts(verification)
  if (claimed === undefined) return crypto.randomUUID()
  const sender = auth.method === 'scheme' ? auth.scheme : auth.method
  const { listener, retentionMs = listener.retentionMs } = verification
  const period = retentionMs < RETENTION_SECONDS * 1000 ? [periodOf(verification, retentionMs)] : []
  const key = await keyOfBytes(JSON.stringify([listenerId, sender, claimed, ...period]))
  return `${key.slice(0, VERSION_AT)}4${key.slice(VERSION_AT + 1)}`
}

/**
 * What the event is claimed by, without the time of the attempt, which senders that name no event sign with the body. Undefined if
 * it is not claimed. A token is claimed as it is, so each attempt of Plaid's is an event of its own: its genuine bodies repeat. What
 * is claimed for the replay window holds no time.
 */
function keyOfAttempts(verification: Verification): MaybePromise<string | undefined> {
  const { protocol, claimKeys, delivery, signed, timestampText } = verification
  const { dedupe, retentionSeconds, time } = protocol
  const isNamed = claimKeys.length > 1 || (dedupe === 'id' && protocol.idOf(verification) !== '')
  const isUntimed = dedupe === 'signed-bytes-per-topic' || retentionSeconds === 'replay-window'
  const isAttempt = time?.of === 'attempt' || time?.eachAttempt
  const isTimed = isAttempt && timestampText !== '' && !isUntimed
  if (claimKeys.length === 0 || isNamed || !isTimed || signed === undefined) return claimKeys.at(-1) // the ID is the last
  const untimed = (text: string) => text.replaceAll(timestampText, '')
  const { before, body, after } = signed
  return keyOfBytes(
    signedBytes({ signed: { before: untimed(before), body, after: untimed(after) }, delivery }),
  )
}

/** What `settle` commits. */
const DONE = 200

/**
 * Whether the app has done the event before: it answers as hookgate's scheme says. It may have, if its first answer was lost, and
 * the sender would take a 409 for a failure.
 */
function isDuplicate(answer: AppAnswer): boolean {
  if (answer.kind !== 'answered' || answer.status !== STATUS.event_duplicate) return false
  const document = parseJson(answer.body)
  return 'value' in document && textOf(document.value, 'code') === 'event_duplicate'
}

/** Redirects are answers too, and are not followed, so `Location` is left out. */
const PASSED_BACK = ['content-type', 'content-encoding', 'retry-after']
const BODILESS = [204, 304]
/** A released event can run again at once. */
const RETRY_SECONDS = 5

function reply(response: ServerResponse, answer: AppAnswer, { leaseMs }: Listener<unknown>): void {
  if (answer.kind !== 'answered') {
    const problem = RESPONSES[answer.kind]
    const wait = answer.kind === 'unreachable' ? RETRY_SECONDS : Math.ceil(leaseMs / 1000)
    const headers = { 'content-type': 'application/problem+json', 'retry-after': `${wait}` }
    response.writeHead(problem.status, headers).end(JSON.stringify(problem))
    return
  }
  const { status, headers, body } = answer
  const passed = headers.flatMap((name, index) =>
    index % 2 === 0 && PASSED_BACK.includes(name.toLowerCase()) ? [name, headers[index + 1] ?? ''] : [],
  )
  const length = BODILESS.includes(status) ? [] : ['content-length', `${body.byteLength}`]
  response.writeHead(status, [...passed, ...length]).end(body)
}

const RESPONSES = {
  unreachable: { status: 503, title: 'Service Unavailable', code: 'upstream_unreachable' },
  unknown: { status: 504, title: 'Gateway Timeout', code: 'upstream_unknown' },
}

function complaint({ kind, problem }: AppSilence, { leaseMs }: Listener<unknown>): string {
  return kind === 'unreachable'
    ? `hookgate: ${problem}. The event is released`
    : `hookgate: the app got the event, but ${problem}. The event can run again within ${leaseMs / 1000} s`
}
