import { EventStoreError, KeySetError, ListenerConfigError } from '../../src/errors.ts'
import type { WebhookEvent } from '../../src/event.ts'
import { callHook, startTime } from '../../src/lib/hooks.ts'
import { isPromise, type MaybePromise } from '../../src/lib/maybe-promise.ts'
import { type OptionTable, optional, positiveInteger, timerSeconds } from '../../src/lib/options.ts'
import type { Listener } from '../../src/listener.ts'
import { type Rejected, rejected } from '../../src/verdict.ts'
import { verify } from '../../src/verify.ts'
import { BodyIncompleteError } from './body.ts'
import { type Reply, replyListenerUnknown, replyToRejected, replyUnavailable, thenClose } from './reply.ts'
import { mountedTwice } from './set-up-errors.ts'

/** Finds the listener of a request, for services with many. Undefined is answered 404. */
export type ListenerLookup<Request, Payload> = (
  request: Request,
) => MaybePromise<Listener<Payload> | undefined>

export interface ReceiverOptions {
  /** How long a body may take to arrive, in seconds. Default 10. */
  readonly bodyTimeoutSeconds?: number | undefined
  /** How many bodies may be arriving at once; more are answered 503. Default 4096, so at most 256 MB. */
  readonly maxConcurrentBodies?: number | undefined
}

export const RECEIVER_OPTIONS: OptionTable<ReceiverOptions> = {
  bodyTimeoutSeconds: optional(timerSeconds),
  maxConcurrentBodies: optional(positiveInteger),
}

/** A request before its body is read, as its adapter sees it. */
export interface Incoming {
  readonly method: string
  header(name: string): string | readonly string[] | undefined
  /** The exact bytes, or the first `limit` + 1. Rejects with BodyIncompleteError when they do not all come in time. */
  readBody(limit: number, timeoutMs: number): MaybePromise<Uint8Array>
}

/** Where a request comes from. It may depend on the listener whether that has to be known. */
export type SourceFinder = (listener: Listener<unknown>) => string | undefined

/** Run the handler with the event, and settle it; or send the reply, and do not run the handler. */
export type Outcome<Payload> =
  | {
      readonly event: WebhookEvent<Payload>
      readonly listener: Listener<Payload>
      readonly reply?: undefined
    }
  | { readonly reply: Reply }

const MS = 1000
const BUSY_RETRY_AFTER_SECONDS = 1

/** What all adapters do between a request and its handler. One a `verifyWebhook()` call; it counts what is arriving. */
export class Receiver<Request extends object, Payload> {
  readonly #find: ListenerLookup<Request, Payload>
  readonly #timeoutMs: number
  readonly #maxBodies: number
  #arriving = 0

  constructor(target: Listener<Payload> | ListenerLookup<Request, Payload>, options: ReceiverOptions) {
    if (typeof target !== 'function' && typeof target?.retentionMs !== 'number') {
      throw new ListenerConfigError(
        'listener',
        'must come from defineListener(), or be a function that finds one',
      )
    }
    this.#find = typeof target === 'function' ? target : () => target
    this.#timeoutMs = (options.bodyTimeoutSeconds ?? 10) * MS
    this.#maxBodies = options.maxConcurrentBodies ?? 4096
  }

  /** Rejects only for what is the developer's to mend: it belongs on the framework's error path. */
  async receive(request: Request, incoming: Incoming, findSource: SourceFinder): Promise<Outcome<Payload>> {
    refuseTwice(request)
    const found = this.#find(request)
    const listener = isPromise(found) ? await found : found
    if (listener === undefined) return { reply: thenClose(replyListenerUnknown()) }
    if (this.#arriving >= this.#maxBodies) {
      const problem = `${this.#maxBodies} bodies are arriving already (maxConcurrentBodies)`
      callHook(listener.onError, new Error(problem), { listenerId: listener.id, durationMs: 0 })
      return { reply: thenClose(replyUnavailable(BUSY_RETRY_AFTER_SECONDS)) }
    }
    return this.#decide(incoming, listener, findSource)
  }

  async #decide(
    incoming: Incoming,
    listener: Listener<Payload>,
    findSource: SourceFinder,
  ): Promise<Outcome<Payload>> {
    const startedAt = startTime(listener)
    const sourceIp = findSource(listener)
    const body = await this.#readBody(incoming, listener)
    if (!(body instanceof Uint8Array)) {
      callHook(listener.onVerdict, body, {
        listenerId: listener.id,
        durationMs: performance.now() - startedAt,
      })
      return { reply: thenClose(replyToRejected(body, undefined)) }
    }
    try {
      const header = (name: string) => incoming.header(name)
      const verdict = await verify({ method: incoming.method, header, body, sourceIp }, listener)
      if (verdict.ok) return { event: verdict.event, listener }
      const reply = replyToRejected(verdict, listener.auth.challenge)
      return { reply: body.byteLength > listener.maxBodyBytes ? thenClose(reply) : reply }
    } catch (error) {
      if (error instanceof EventStoreError || error instanceof KeySetError) {
        return { reply: replyUnavailable(error.retryAfterSeconds) }
      }
      throw error
    }
  }

  async #readBody(incoming: Incoming, listener: Listener<Payload>): Promise<Uint8Array | Rejected> {
    this.#arriving += 1
    try {
      return await incoming.readBody(listener.maxBodyBytes, this.#timeoutMs)
    } catch (error) {
      if (error instanceof BodyIncompleteError) return rejected('body_incomplete', error.message)
      throw error
    } finally {
      this.#arriving -= 1
    }
  }
}

/** On a request that a receiver has seen. A WeakSet of them costs the garbage collector more than the checks cost. */
const RECEIVED = Symbol('verifyWebhook')

/** A second receiver on the way of a request would find its event claimed, and answer 409. */
function refuseTwice(request: { [RECEIVED]?: boolean }): void {
  if (request[RECEIVED]) throw mountedTwice()
  request[RECEIVED] = true
}
