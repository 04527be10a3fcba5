import { callHook, startTime } from '../../src/lib/hooks.ts'
import { isPromise, type MaybePromise, whenKnown } from '../../src/lib/maybe-promise.ts'
import {
  checkOptions,
  type OptionTable,
  optional,
  positiveInteger,
  timerSeconds,
} from '../../src/lib/options.ts'
import type { Listener } from '../../src/listener.ts'
import { BodyIncompleteError } from './body.ts'
import { type Decide, type Refusal, refuseIncomplete } from './outcome.ts'
import { replyListenerUnknown, replyUnavailable, thenClose } from './reply.ts'
import { mountedTwice, noListener, nothingFound } from './set-up-errors.ts'

/** Finds the listener of a request, for services with many. Undefined is answered 404. */
export type ListenerLookup<Request, Payload> = (
  request: Request,
) => MaybePromise<Listener<Payload> | undefined>

export interface ReceiverOptions {
  /** How long a body may take to arrive, in seconds. Default 10. */
  readonly bodyTimeoutSeconds?: number | undefined
  /** How many bodies may be arriving at once, for each call that this is given to; more are 503. Default 4096: at most 256 MB. */
  readonly maxConcurrentBodies?: number | undefined
}

export const RECEIVER_OPTIONS: OptionTable<ReceiverOptions> = {
  bodyTimeoutSeconds: optional(timerSeconds),
  maxConcurrentBodies: optional(positiveInteger),
}

/** A request before its body is read, as its adapter sees it. */
export interface Incoming {
  readonly method: string
  readonly header: (name: string) => string | readonly string[] | undefined
  /** The exact bytes, or the first `limit` + 1. Rejects with BodyIncompleteError when they do not all come in time. */
  readBody(limit: number, timeoutMs: number): MaybePromise<Uint8Array>
}

/** Goes on with what passed, or sends the reply. */
export type Answer<Passed, T> = (outcome: Passed | Refusal) => MaybePromise<T>

/** Where a request comes from. It may depend on the listener whether that has to be known. */
export type SourceFinder = (listener: Listener<unknown>) => string | undefined

const MS = 1000
const BUSY_RETRY_AFTER_SECONDS = 1

/** What all adapters do between a request and its handler. One a `verifyWebhook()` call; it counts what is arriving. */
export class Receiver<Request extends object, Payload, Passed> {
  readonly #find: ListenerLookup<Request, Payload>
  readonly #decide: Decide<Payload, Passed>
  readonly #wasReceived: (request: Request) => boolean
  readonly #timeoutMs: number
  readonly #maxBodies: number
  #arriving = 0

  /** `wasReceived` is for requests that show it by themselves; others are marked. @throws ListenerConfigError */
  constructor(
    caller: string,
    target: Listener<Payload> | ListenerLookup<Request, Payload>,
    options: ReceiverOptions,
    table: OptionTable<ReceiverOptions>,
    decide: Decide<Payload, Passed>,
    wasReceived: (request: Request) => boolean = markReceived,
  ) {
    if (typeof target !== 'function' && !isListener(target)) throw noListener(caller, target)
    checkOptions(caller, options, table)
    this.#find = typeof target === 'function' ? target : () => target
    this.#decide = decide
    this.#wasReceived = wasReceived
    this.#timeoutMs = (options.bodyTimeoutSeconds ?? 10) * MS
    this.#maxBodies = options.maxConcurrentBodies ?? 4096
  }

  /**
   * What `answer` makes of the outcome, called as soon as that is known: a promise between them would be a turn of the event
   * loop. Rejects with what it throws, and for what is the developer's to mend: both belong on the framework's error path.
   */
  receive<T>(
    request: Request,
    incoming: Incoming,
    findSource: SourceFinder,
    answer: Answer<Passed, T>,
  ): Promise<T> {
    try {
      // A second receiver would find its event claimed, and answer 409.
      if (this.#wasReceived(request)) throw mountedTwice()
      const found = this.#find(request)
      if (!isPromise(found)) return this.#receiveFor(found, incoming, findSource, answer)
      return Promise.resolve(found).then((listener) =>
        this.#receiveFor(listener, incoming, findSource, answer),
      )
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /** Not async: what such a function keeps while it waits is more than all the checks need. */
  #receiveFor<T>(
    listener: Listener<Payload> | undefined,
    incoming: Incoming,
    findSource: SourceFinder,
    answer: Answer<Passed, T>,
  ): Promise<T> {
    if (listener === undefined)
      return Promise.resolve({ reply: thenClose(replyListenerUnknown()) }).then(answer)
    if (!isListener(listener)) throw nothingFound()
    if (this.#arriving >= this.#maxBodies) return Promise.resolve(this.#refuseBody(listener)).then(answer)
    const startedAt = startTime(listener)
    const sourceIp = findSource(listener)
    const body = incoming.readBody(listener.maxBodyBytes, this.#timeoutMs)
    this.#arriving += 1
    return Promise.resolve(body).then(
      (body) => {
        this.#arriving -= 1
        const { method, header } = incoming
        return whenKnown(this.#decide({ method, header, body, sourceIp }, listener), answer)
      },
      (error) => {
        this.#arriving -= 1
        if (error instanceof BodyIncompleteError) {
          return answer(refuseIncomplete(error, listener, startedAt))
        }
        throw error
      },
    )
  }

  #refuseBody(listener: Listener<Payload>): Refusal {
    const problem = `${this.#maxBodies} bodies are arriving already (maxConcurrentBodies)`
    callHook(listener.onError, new Error(problem), { listenerId: listener.id, durationMs: 0 })
    return { reply: thenClose(replyUnavailable(BUSY_RETRY_AFTER_SECONDS)) }
  }
}

/** What plain JavaScript, or a database, hands over in its place has no number there. */
function isListener(value: Listener<unknown> | null): boolean {
  return typeof value?.retentionMs === 'number'
}

/** On a request that a receiver has seen. A WeakSet of them costs the garbage collector more than the checks cost. */
const RECEIVED = Symbol('verifyWebhook')

function markReceived(request: { [RECEIVED]?: boolean }): boolean {
  const before = request[RECEIVED] === true
  request[RECEIVED] = true
  return before
}
