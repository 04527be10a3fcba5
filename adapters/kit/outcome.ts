import type { Lease } from '../../src/claim.ts'
import type { Delivery } from '../../src/delivery.ts'
import { encodeUtf8 } from '../../src/lib/bytes.ts'
import { memberOf } from '../../src/lib/member-of.ts'
import type { EventOf, Listener } from '../../src/listener.ts'
import type { Failure, Reason } from '../../src/reason.ts'
import { problem, type Reply } from '../../src/reply.ts'
import { isObserved, reportAside } from '../../src/report.ts'
import { type Handshake, type Rejected, rejected, replyTo } from '../../src/verdict.ts'
import { Verification } from '../../src/verification.ts'
import { NO_BYTES } from './incoming.ts'
import type { OverloadError } from './seats.ts'
import { ReportedError, warnOfFailure, warnOfRefusal } from './warn.ts'

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
  /** Only for the functions that settle the event. */
  readonly [LEASE]?: Lease | undefined
}

export const LEASE: unique symbol = Symbol('hookgate.lease')

/** Answers a verdict that is not ok. */
export function refuse(verdict: Rejected | Handshake, verification: Verification): Refusal {
  const { delivery, listener } = verification
  if (!verdict.handshake) warnOfRefusal(verification, verdict)
  const reply = replyTo(verdict)
  return delivery.body.byteLength > listener.maxBodyBytes ? closing(reply) : { reply }
}

/** Answers an error that kept `verify` from deciding. Undefined for all others. */
export function refuseUndecided(error: unknown, { listener }: Verification): Refusal | undefined {
  const code = memberOf(error, 'code') // not `instanceof`: it may be of another copy of hookgate
  if (code !== 'ERR_EVENT_STORE' && code !== 'ERR_KEY_SET') return undefined
  warnOfFailure(listener, code, error)
  return { reply: replyUnavailable(retryAfterOf(error)) }
}

/** A delivery that is refused before its body is complete. `startedAt`: since when it was awaited, in monotonic milliseconds. */
export interface Unread {
  readonly request: Omit<Delivery, 'body'>
  readonly listener: Listener<unknown>
  readonly startedAt: number
}

/** Reports an overload. Builds no report without a hook, because floods end here. */
export function refuseBusy(overload: OverloadError, unread: Unread): Refusal {
  const { listener } = unread
  if (isObserved(listener)) {
    reportAside(verificationOf(unread), new ReportedError('ERR_TOO_MANY_BODIES', overload.message))
  }
  warnOfFailure(listener, 'ERR_TOO_MANY_BODIES', overload)
  return BUSY
}

/** Reports a refusal, and closes the connection, because the rest of the request is not examined. */
export function refuseUnread(failure: Failure<Reason>, unread: Unread): Refusal {
  const { listener } = unread
  const verdict = rejected(failure, listener.protocol)
  const verification = verificationOf(unread)
  reportAside(verification, verdict)
  warnOfRefusal(verification, verdict)
  return closing(replyTo(verdict))
}

function verificationOf({ request, listener, startedAt }: Unread): Verification {
  const verification = new Verification({ ...request, body: NO_BYTES }, listener)
  verification.startedAt = startedAt
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
  const framing = status === 204 ? undefined : { 'content-length': encodeUtf8(body).length }
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
