import { checkSourceIp } from '../../src/checks/source-ip.ts'
import type { Delivery } from '../../src/delivery.ts'
import { isPromise, type MaybePromise } from '../../src/lib/maybe-promise.ts'
import { memberOf } from '../../src/lib/member-of.ts'
import type { EventOf, Listener, PayloadOf } from '../../src/listener.ts'
import type { Failure, Reason } from '../../src/reason.ts'
import { problem, type Reply } from '../../src/reply.ts'
import { isObserved, reportAside } from '../../src/report.ts'
import { type Accepted, type Handshake, type Rejected, rejected, replyTo } from '../../src/verdict.ts'
import { Verification } from '../../src/verification.ts'
import { checkedOn, claimOn, verdictOn } from '../../src/verify.ts'
import type { OverloadError } from './bodies-in-flight.ts'
import { type BodyIncompleteError, NO_BYTES } from './incoming.ts'
import { ReportedError, warnOfFailure, warnOfRefusal } from './tell.ts'

/** Send the reply, and do not run the handler. */
export interface Refusal {
  /** For `sendReply` or `toResponse`. */
  readonly reply: Reply
}

/** Run the handler with the event, and settle it. */
export interface Claimed<Given extends Listener<unknown> = Listener> {
  /** The verified event, claimed for this handler. */
  readonly event: EventOf<Given>
  /** The listener that verified it. */
  readonly listener: Given
  /** Always undefined. Declared so that `outcome.reply` singles out refusals. */
  readonly reply?: undefined
}

/** Every check passed. Pass it to `resume` of the receiver before the handler runs. */
export interface Checked {
  /** What the checks know of the request: `payload` and `delivery`. */
  readonly verification: Verification
  /** Always undefined. Declared so that `outcome.reply` singles out refusals. */
  readonly reply?: undefined
}

/** Examines a complete delivery: `checkAndClaim`, or `check`. */
export type Examine<Given, Passed> = (delivery: Delivery, listener: Given) => MaybePromise<Passed | Refusal>

/**
 * Checks a delivery and claims its event, as `verify` does, and turns refusals and outages into replies.
 *
 * @example
 * ```ts
 * await receiver.receive(request, fromWeb(request), checkAndClaim, (outcome) => console.log(outcome.reply?.status ?? 'accepted'))
 * ```
 */
export function checkAndClaim<Given extends Listener<unknown>>(
  delivery: Delivery,
  listener: Given,
): MaybePromise<Claimed<Given> | Refusal> {
  return withReply(verdictOn<Given>, claimedOf, delivery, listener)
}

/**
 * `checkAndClaim` without the claim, for frameworks that run hooks in between. Then call `resume` of the receiver.
 *
 * @example
 * ```ts
 * await receiver.receive(request, fromWeb(request), check, (outcome) => console.log(outcome.reply?.status ?? 'checked'))
 * ```
 */
export function check(delivery: Delivery, listener: Listener<unknown>): MaybePromise<Checked | Refusal> {
  return withReply(checkedOn, (verification) => ({ verification }), delivery, listener)
}

/**
 * The rest of `checkAndClaim`, for `resume` of the receiver.
 *
 * @example
 * ```ts
 * await receiver.resume(checked, fromWeb(request), claim, (outcome) => console.log(outcome.reply?.status ?? 'accepted'))
 * ```
 */
export function claim({ verification }: Checked): MaybePromise<Claimed<Listener<unknown>> | Refusal> {
  return withReply(() => claimOn(verification), claimedOf, verification.delivery, verification.listener)
}

const claimedOf = <Given extends Listener<unknown>>(
  { event }: Accepted<PayloadOf<Given>>,
  listener: Given,
) => ({ event, listener })

/** Runs one step of `verify`, and turns refusals and outages into replies. */
function withReply<Given extends Listener<unknown>, Result extends object, Passed>(
  step: (delivery: Delivery, listener: Given) => MaybePromise<Result | Rejected | Handshake>,
  pass: (result: Result, listener: Given) => Passed,
  delivery: Delivery,
  listener: Given,
): MaybePromise<Passed | Refusal> {
  try {
    const result = step(delivery, listener)
    return isPromise(result)
      ? lateReply(result, pass, delivery, listener)
      : replied(result, pass, delivery, listener)
  } catch (error) {
    return refuseUndecided(error, listener)
  }
}

async function lateReply<Given extends Listener<unknown>, Result extends object, Passed>(
  result: PromiseLike<Result | Rejected | Handshake>,
  pass: (result: Result, listener: Given) => Passed,
  delivery: Delivery,
  listener: Given,
): Promise<Passed | Refusal> {
  try {
    return replied(await result, pass, delivery, listener)
  } catch (error) {
    return refuseUndecided(error, listener)
  }
}

function replied<Given extends Listener<unknown>, Result extends object, Passed>(
  result: Result | Rejected | Handshake,
  pass: (result: Result, listener: Given) => Passed,
  delivery: Delivery,
  listener: Given,
): Passed | Refusal {
  return needsReply(result) ? refuse(result, delivery, listener) : pass(result, listener)
}

/** Not `in`, which engines do not optimize: hence the cast. */
const needsReply = (result: object): result is Rejected | Handshake =>
  (result as { ok?: boolean }).ok === false

function refuse(verdict: Rejected | Handshake, { body }: Delivery, listener: Listener<unknown>): Refusal {
  if (!verdict.handshake) warnOfRefusal(listener, verdict.reason)
  const reply = replyTo(verdict)
  return body.byteLength > listener.maxBodyBytes ? closing(reply) : { reply }
}

/** Throws all errors but those that keep `verify` from deciding. */
function refuseUndecided(error: unknown, listener: Listener<unknown>): Refusal {
  const code = memberOf(error, 'code') // not `instanceof`: it may be of another copy of hookgate
  if (code === 'ERR_EVENT_STORE' || code === 'ERR_KEY_SET') {
    warnOfFailure(listener, code)
    return { reply: replyUnavailable(retryAfterOf(error)) }
  }
  throw error
}

/** Reports an overload. Builds no report without a hook, because floods end here. */
export function refuseBusy(
  { message }: OverloadError,
  request: Omit<Delivery, 'body'>,
  listener: Listener<unknown>,
  startedAt: number,
): Refusal {
  if (isObserved(listener)) {
    const verification = withoutBody(request, listener, startedAt)
    reportAside(verification, () => {
      throw new ReportedError('ERR_TOO_MANY_BODIES', message)
    })
  }
  warnOfFailure(listener, 'ERR_TOO_MANY_BODIES')
  return BUSY
}

/** Refuses a disallowed source before its body is complete, so the rest of the request is not examined. */
export function refuseSource(request: Omit<Delivery, 'body'>, listener: Listener<unknown>): Refusal {
  const verification = new Verification({ ...request, body: NO_BYTES }, listener)
  const { reason, detail } = checkSourceIp(verification) as Failure<'source_ip_not_allowed'> // called only if it fails
  return refuseUnread(verification, reason, detail)
}

export function refuseIncomplete(
  { message }: BodyIncompleteError,
  request: Omit<Delivery, 'body'>,
  listener: Listener<unknown>,
  startedAt: number,
): Refusal {
  return refuseUnread(withoutBody(request, listener, startedAt), 'body_incomplete', message)
}

function refuseUnread(verification: Verification, reason: Reason, detail: string): Refusal {
  const { listener } = verification
  const verdict = rejected(reason, detail, listener.protocol)
  reportAside(verification, () => verdict)
  warnOfRefusal(listener, reason)
  return closing(replyTo(verdict))
}

function withoutBody(
  request: Omit<Delivery, 'body'>,
  listener: Listener<unknown>,
  startedAt: number,
): Verification {
  const verification = new Verification({ ...request, body: NO_BYTES }, listener)
  verification.spentMs = performance.now() - startedAt
  return verification
}

/** When to retry, in seconds, by an error of ours or of another copy of hookgate. */
export function retryAfterOf(error: unknown): number {
  const seconds = memberOf(error, 'retryAfterSeconds')
  return typeof seconds === 'number' && seconds > 0 ? seconds : 1
}

/** Undecided: the sender should retry. */
function replyUnavailable(retryAfterSeconds: number): Reply {
  return problem(503, 'unavailable', { 'retry-after': `${retryAfterSeconds}` })
}

/** For responses that leave part of the body unread, so that it is not parsed as the next request. */
function closing(reply: Reply): Refusal {
  return { reply: { ...reply, headers: { ...reply.headers, connection: 'close' } } }
}

/** Whether the reply is the last on its connection. */
export function closesConnection({ reply }: { readonly reply?: Reply | undefined }): boolean {
  return reply?.headers.connection === 'close'
}

/** Too many bodies are in flight, or the response could not reach the sender anyway. */
export const BUSY: Refusal = /* @__PURE__ */ retryLater(1)

/** Asks the sender to retry. Closes the connection, because the request's body is not read. */
export function retryLater(retryAfterSeconds: number): Refusal {
  return closing(replyUnavailable(retryAfterSeconds))
}

/** A lookup found no listener. Closes the connection, because the request's body is not read. */
export const UNKNOWN_LISTENER: Refusal = /* @__PURE__ */ closing(
  /* @__PURE__ */ problem(404, 'listener_unknown'),
)

/** The part of Node's `ServerResponse` that `sendReply` uses. */
interface UnsentResponse {
  readonly writableEnded: boolean
  writeHead(status: number, headers: { [name: string]: string | number }): { end(body: string): unknown }
}

/**
 * Sends a reply as a Node response. Does nothing if something else, like a timeout, has sent one.
 *
 * @example
 * ```ts
 * const answer = (outcome: Refusal) => sendReply(res, outcome.reply)
 * ```
 */
export function sendReply(response: UnsentResponse, { status, headers, body }: Reply): void {
  if (response.writableEnded) return
  // A 204 has no length (RFC 9110 8.6).
  const framing = status === 204 ? undefined : { 'content-length': new TextEncoder().encode(body).length }
  response.writeHead(status, { ...headers, ...framing }).end(body)
}

/**
 * Turns a reply into a web response.
 *
 * @example
 * ```ts
 * const answer = (outcome: Refusal) => toResponse(outcome.reply)
 * ```
 */
export function toResponse(reply: Reply): Response {
  // An empty string would get a content type, and a 204 must not have a body.
  return new Response(reply.status === 204 ? null : reply.body || NO_BYTES, reply)
}
