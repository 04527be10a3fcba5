import type { ServerResponse } from 'node:http'
import { settle } from '../../adapters/kit/settle.ts'
import { keyOfBytes } from '../../src/event-key.ts'
import type { Listener, WebhookEvent } from '../../src/index.ts'
import type { SenderScheme } from '../../src/scheme/index.ts'
import { signedBytes } from '../../src/scheme/signed-text.ts'
import type { Verification } from '../../src/verification.ts'
import { remark } from '../command-line/output.ts'
import { InFlight } from '../lib/in-flight.ts'
import { throttled } from '../lib/throttle.ts'
import type { AnswerEvent } from '../listen/webhook-server.ts'
import { type AppAnswer, type AppSilence, appAt } from './app.ts'
import { appHeaders } from './app-headers.ts'
import { type Forwarding, senderHeaders } from './forward-options.ts'

/** Releases the event, because the app never saw it. */
const NEVER_REACHED = 502

/** Each holds its body, its payload and two connections: 200 KB or more. */
const MOST_IN_FLIGHT = 1024
const TOO_MANY: AppSilence = {
  kind: 'unreachable',
  problem: `${MOST_IN_FLIGHT} deliveries are already waiting for it`,
  ms: 0,
}

export interface Forwarder {
  readonly answer: AnswerEvent
  /** Waits until every forwarded event is settled, even if its sender has left. */
  close(): Promise<void>
}

/**
 * Forwards accepted events to the app, settles them by its answer, and passes that answer to the sender.
 *
 * @throws UsageError if the gateway and the sender would sign under the same name.
 */
export function forwarder(
  { target, timeoutSeconds, ...wanted }: Forwarding,
  publicUrl: URL,
  scheme: SenderScheme | undefined,
): Forwarder {
  const app = appAt(target, timeoutSeconds * 1000)
  const options = { ...wanted, ofSender: senderHeaders(wanted, scheme), publicUrl }
  const inFlight = new InFlight()
  const complain = throttled(remark)
  const pass: AnswerEvent = async ({ event, listener, verification, isReplay }, request, response) => {
    const hasRoom = inFlight.size < MOST_IN_FLIGHT // this one does not count yet
    const key = isReplay ? (verification.claimKeys[0] ?? event.id) : await appEventId(verification, event)
    const answer = hasRoom
      ? await app.ask(appHeaders({ event, key, isReplay }, request, options), event.rawBody)
      : TOO_MANY
    await settleBy(answer, event, listener)
    reply(response, answer, listener)
    if (answer.kind !== 'answered') complain(complaint(target, answer, listener))
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
  const { protocol, claimKeys } = verification
  if (protocol.dedupe === 'off') return keyOfBytes(rawBody)
  if (protocol.dedupe !== 'id') return claimKeys[0] ?? id // the signed bytes, with their topic
  return unsigned?.includes('id') ? keyOfBytes(signedBytes(verification)) : id
}

/** Runs before the sender gets the answer, so that its next attempt finds the event settled. */
async function settleBy(
  answer: AppAnswer,
  event: WebhookEvent<unknown>,
  listener: Listener<unknown>,
): Promise<void> {
  if (answer.kind === 'unknown') return // the app may still be working: let the lease expire
  await settle({ listener, event }, answer.kind === 'answered' ? answer.status : NEVER_REACHED)
}

/** Redirects are answers too, and are not followed, so `Location` is left out. */
const PASSED_BACK = ['content-type', 'content-encoding', 'retry-after']
const BODILESS = [204, 304]

function reply(response: ServerResponse, answer: AppAnswer, { leaseMs }: Listener<unknown>): void {
  if (answer.kind !== 'answered') {
    const { retryAfterSeconds = Math.ceil(leaseMs / 1000), ...problem } = PROBLEMS[answer.kind]
    const headers = { 'content-type': 'application/problem+json', 'retry-after': `${retryAfterSeconds}` }
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

interface Problem {
  readonly status: number
  readonly title: string
  readonly code: string
  /** Defaults to the lease. */
  readonly retryAfterSeconds?: number
}

const PROBLEMS: Readonly<Record<AppSilence['kind'], Problem>> = {
  unreachable: {
    status: 503,
    title: 'Service Unavailable',
    code: 'upstream_unreachable',
    retryAfterSeconds: 5,
  },
  unknown: { status: 504, title: 'Gateway Timeout', code: 'upstream_unknown' },
}

/** Refused, or silent. Every other problem has another fix than to start the app. */
const MAY_BE_DOWN = /ECONNREFUSED$|^no answer/

function complaint({ origin }: URL, { kind, problem }: AppSilence, { leaseMs }: Listener<unknown>): string {
  return kind === 'unreachable'
    ? `hookgate: ${origin} cannot be reached (${problem})${MAY_BE_DOWN.test(problem) ? ': is your app running?' : '.'} The event is released`
    : `hookgate: ${origin} got the event but did not answer (${problem}): the event can run again ${leaseMs / 1000} s after it arrived`
}
