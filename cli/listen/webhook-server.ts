import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Incoming } from '../../adapters/kit/incoming.ts'
import { type Claimed, sendReply } from '../../adapters/kit/outcome.ts'
import { fromNode } from '../../adapters/kit/read-node.ts'
import { createReceiverInSteps, verificationOf } from '../../adapters/kit/receiver-in-steps.ts'
import { settleAfter } from '../../adapters/kit/settle.ts'
import { type Listener, ListenerConfigError } from '../../src/index.ts'
import { isA } from '../../src/lib/member-of.ts'
import { urlParts } from '../../src/schemes/kit/signed-url.ts'
import type { Verification } from '../../src/verification.ts'
import { remark, withHelp } from '../command-line/output.ts'
import type { AppAnswer } from '../forward/app.ts'
import { InFlight } from '../lib/in-flight.ts'
import { type DeliveryReport, type Progress, type Rerun, reportOf } from './report.ts'
import { peerOf, refuseMalformed } from './server.ts'

interface CheckedClaim extends Claimed<Listener<unknown>> {
  readonly verification: Verification
  readonly isReplay: boolean
}

/** Answers an accepted event, and settles it. Resolves with the app's answer if an app was asked. */
export type AnswerEvent = (
  claimed: CheckedClaim,
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<AppAnswer | undefined>

interface WebhookServerOptions {
  readonly listener: Listener
  /** The only path to answer. Undefined: every path. */
  readonly path?: string | undefined
  /** The path whose GET says that the process answers. It asks nothing else, and is not reported. */
  readonly health?: string | undefined
  /** Defaults to 200, without an app. */
  readonly answerEvent?: AnswerEvent | undefined
  /** The inspector's own request to run an event again. Undefined for every other request. */
  readonly rerunOf?: ((request: IncomingMessage) => Rerun | undefined) | undefined
  /** Called with each delivery once it is answered and settled. */
  readonly onDelivery: (report: DeliveryReport) => void
}

/**
 * Answers the webhooks that a server gets.
 * @returns A function that waits until every delivery so far is reported, even if its sender has left.
 */
export function serveWebhooks(server: Server, options: WebhookServerOptions): () => Promise<void> {
  const { listener, path, health, answerEvent = acceptHere, rerunOf, onDelivery } = options
  const reporting = new InFlight()
  const progressOf = new WeakMap<IncomingMessage, Progress>()
  const isOurs = ({ url = '' }: IncomingMessage) => path === undefined || urlParts(url).base === path
  const lookup = (request: IncomingMessage) => {
    const progress = progressOf.get(request)
    return progress && isOurs(request) ? withProgress(listener, progress) : undefined
  }
  const receiver = createReceiverInSteps(lookup, {}, { caller: 'hookgate listen' })
  const asksForHealth = ({ method = '', url = '' }: IncomingMessage) =>
    health !== undefined && HEALTH_METHODS.includes(method) && urlParts(url).base === health
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    if (asksForHealth(request)) return sayHealthy(response)
    const progress: Progress = { time: new Date().toISOString(), startedAt: performance.now() }
    const rerun = rerunOf?.(request)
    if (rerun !== undefined) progress.rerun = rerun
    progressOf.set(request, progress)
    const isOver = onward(request, response, progress).catch((error) => {
      progress.failed = true
      answerError(response, error)
    })
    response.once('close', () => {
      const status = response.headersSent ? response.statusCode : null // null: the sender hung up before the answer
      const endedAt = performance.now()
      reporting.add(() => isOver.then(() => onDelivery(reportOf(progress, request, status, endedAt))))
    })
  }
  const onward = async (request: IncomingMessage, response: ServerResponse, progress: Progress) => {
    const { rerun } = progress
    const peer = peerOf(request) // now: a closed connection has no address
    const incoming = fromNode(request, response, () => rerun?.sourceIp ?? peer)
    const checked = await receiver.receive(request, noting(incoming, listener, progress))
    if (checked.reply) return sendReply(response, checked.reply)
    const isReplay = rerun !== undefined
    // A key of its own, so that nothing of the first run is released or changed.
    const outcome = await receiver.claim(checked, isReplay ? crypto.randomUUID() : undefined)
    if (outcome.reply) return sendReply(response, outcome.reply)
    const claimed = { ...outcome, verification: verificationOf(checked), isReplay }
    progress.app = await answerEvent(claimed, request, response)
  }
  refuseMalformed(server)
  server.on('request', answer).on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    // Headers that announce too much refuse the body, so that the sender need not send it.
    const announced = Number(request.headers['content-length'] ?? 0)
    if (isOurs(request) && !(announced > listener.maxBodyBytes)) response.writeContinue()
    answer(request, response)
  })
  return () => reporting.settled()
}

/** Notes what arrives, and when. */
function noting(incoming: Incoming, listener: Listener, progress: Progress): Incoming {
  return {
    ...incoming,
    async readBody(...given) {
      const body = await incoming.readBody(...given)
      const { method, url, header } = incoming
      const delivery = { method, url, header, body, sourceIp: incoming.sourceIp(listener) }
      Object.assign(progress, { delivery, receivedAt: performance.now() })
      return body
    },
  }
}

/** The listener for one request, which reports what it decides. */
function withProgress(listener: Listener, progress: Progress): Listener {
  progress.listenerId = listener.id
  const at = progress.rerun?.at
  return {
    ...listener,
    ...(at !== undefined && { clock: { now: () => at } }),
    onVerdict(verdict, context) {
      Object.assign(progress, { verdict, context, decidedAt: performance.now() })
    },
    onError(error, context) {
      progress.context ??= context // later errors are about the response and know less
      listener.onError?.(error, context)
    },
  }
}

const acceptHere: AnswerEvent = async (claimed, _request, response) => {
  settleAfter(response, claimed)
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"accepted":true}')
  return undefined
}

const HEALTH_METHODS = ['GET', 'HEAD']

function sayHealthy(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/plain', 'cache-control': 'no-store' }).end('ok\n')
}

/** Prints only configuration errors: other messages may quote the request. */
function answerError(response: ServerResponse, error: unknown): void {
  const problem = isA(error, ListenerConfigError) ? error.message : 'internal error; please report it'
  remark(withHelp(`hookgate: ${problem}`, error))
  if (response.headersSent) return
  response.writeHead(500, { 'content-type': 'application/problem+json', connection: 'close' })
  response.end('{"status":500,"title":"Internal Server Error","code":"internal"}')
}
