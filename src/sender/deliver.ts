import {
  checkedElsewhere,
  checkOptions,
  type OptionTable,
  optional,
  timerSeconds,
  wellFormedText,
  withMethods,
} from '../lib/options.ts'
import { addressOf } from '../schemes/kit/signed-url.ts'
import { aBody, bodyBytes } from '../signing/body.ts'
import { type Endpoint, type OutgoingEvent, signFor } from './endpoint.ts'
import { exchange, type Outgoing, readStart } from './exchange.ts'
import { type DeliveryFailure, failureOf, isFinal } from './failure.ts'
import { type Judgement, judge, type Outcome } from './judge.ts'
import { type PublicAgents, publicOnly } from './public-only.ts'
import { requestHeaders } from './request-headers.ts'

const TIMEOUT_SECONDS = 15
/** How much of a response is read before the connection is closed. */
const MOST_ANSWER_BYTES = 4096

/** The options of `deliver`. */
export interface DeliverOptions {
  /** The agents that decide which addresses may be connected to. Defaults to `publicOnly()`. */
  readonly agents?: PublicAgents | undefined
  /** The timeout of the attempt in seconds, for look-up, connection and response. Defaults to 15. */
  readonly timeoutSeconds?: number | undefined
  /** The clock for timestamps and durations. Defaults to `Date`. */
  readonly clock?: { now(): number } | undefined
}

/** The result of one attempt. */
export interface Attempt {
  /** What to do next. */
  readonly outcome: Outcome
  /** The HTTP status. Undefined if there was no response. */
  readonly status?: number
  /** The receiver's `code`, if it uses hookgate. */
  readonly code?: string
  /** With `again`: the minimum wait before the next attempt, in milliseconds. */
  readonly retryAfterMs?: number
  /** The cause, if the status alone does not tell it. */
  readonly reason?: DeliveryFailure | NonNullable<Judgement['reason']>
  /** The duration of the attempt, in milliseconds. */
  readonly durationMs: number
  /**
   * The first 4,096 bytes of the response, as text. Untrusted, and possibly from your own network: do not show it to
   * customers.
   */
  readonly answer?: string
}

const EVENT: OptionTable<OutgoingEvent> = { id: wellFormedText, body: aBody, type: optional(wellFormedText) }
const OPTIONS: OptionTable<DeliverOptions> = {
  agents: checkedElsewhere,
  timeoutSeconds: optional(timerSeconds),
  clock: optional(withMethods(['now'])),
}

let publicAgents: PublicAgents | undefined

/**
 * Signs an event for an endpoint, sends it once, and judges the response. Follows no redirects, connects only to public
 * addresses, reads at most 4,096 bytes of the response and takes at most 15 seconds. A receiver cannot make it throw.
 *
 * Does not retry, queue or store anything. `nextDelay` tells you when to call it again.
 *
 * @example
 * ```ts
 * const endpoint = { url: 'https://example.com/hooks', secret: process.env.WEBHOOK_SECRET ?? '' }
 * const order = { id: crypto.randomUUID(), body: JSON.stringify({ total: 42 }) }
 * const { outcome, status, reason } = await deliver(endpoint, order)
 * ```
 *
 * @throws ListenerConfigError (as a rejection) for unknown or invalid options, and for a scheme without a signer.
 */
export async function deliver(
  endpoint: Endpoint,
  event: OutgoingEvent,
  options: DeliverOptions = {},
): Promise<Attempt> {
  checkOptions('event', event, EVENT)
  checkOptions('deliver', options, OPTIONS)
  const { timeoutSeconds = TIMEOUT_SECONDS, clock = Date } = options
  publicAgents ??= publicOnly()
  const startedAt = clock.now()
  const signed = await signFor(endpoint, event, startedAt)
  const outgoing = {
    headers: requestHeaders(endpoint.headers ?? {}, signed.headers),
    body: bodyBytes(signed.body),
  }
  const url = usableUrl(addressOf(endpoint.url, signed))
  const result = url
    ? await attempt(url, outgoing, options.agents ?? publicAgents, timeoutSeconds * 1000, clock)
    : failed('url_invalid')
  return { ...result, durationMs: clock.now() - startedAt }
}

async function attempt(
  url: URL,
  outgoing: Outgoing,
  agents: PublicAgents,
  timeoutMs: number,
  clock: { now(): number },
): Promise<Omit<Attempt, 'durationMs'>> {
  try {
    const response = await exchange(url, outgoing, agents, timeoutMs)
    const { bytes } = await readStart(response, MOST_ANSWER_BYTES) // a truncated body still counts
    const { statusCode: status = 0, headers } = response
    return { ...judge(status, headers, bytes, clock), status, answer: new TextDecoder().decode(bytes) }
  } catch (error) {
    return failed(failureOf(error))
  }
}

function failed(reason: DeliveryFailure): Pick<Attempt, 'outcome' | 'reason'> {
  return { outcome: isFinal(reason) ? 'never' : 'again', reason }
}

function usableUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isUsable = /^https?:$/.test(url?.protocol ?? '') && url?.username === '' && url.password === ''
  return isUsable ? url : undefined
}
