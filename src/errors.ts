/** Each code is a heading on this page. */
export const ERRORS_PAGE = 'https://github.com/hookgate/hookgate/blob/main/docs/errors.md#'

/** `ErrorOptions`, which projects with the library of ES2021 or older do not have. */
interface Cause {
  readonly cause?: unknown
}

/** What the errors of this package have in common. */
export class CodedError<Code extends string> extends Error {
  /** Survives minification, unlike the name of the class. */
  override readonly name: string
  /** Stable. Compare this instead of using `instanceof` if two copies of the package may be loaded. */
  readonly code: Code
  /** A link to the causes and fixes. */
  readonly help: string

  constructor(name: string, code: Code, message: string, options?: Cause) {
    super(message, options)
    this.name = name
    this.code = code
    this.help = `${ERRORS_PAGE}${code.toLowerCase()}`
  }
}

/**
 * Your configuration is wrong. Thrown by `defineListener`, `hmac`, `jwt`, the key sets and the adapters.
 * Mistakes that show only at a request, e.g. a body parser that ran first, go to the framework's error
 * handler instead. The message names the fix and never contains a secret.
 *
 * @example
 * ```ts
 * try {
 *   defineListener(options)
 * } catch (error) {
 *   if (error instanceof ListenerConfigError) console.error(error.option, error.message)
 * }
 * ```
 */
export class ListenerConfigError extends CodedError<'ERR_LISTENER_CONFIG'> {
  /** The option at fault as you wrote it, e.g. `allowedCidrs` or `secrets[1].id`. */
  readonly option: string
  /** What is wrong with it: the message without the option. */
  readonly problem: string

  constructor(option: string, problem: string, options?: Cause) {
    super('ListenerConfigError', 'ERR_LISTENER_CONFIG', `${option}: ${problem}`, options)
    this.option = option
    this.problem = problem
  }
}

/** Default `Retry-After`, in seconds. */
const RETRY_AFTER_SECONDS = 5

/**
 * The event store failed, timed out or returned an invalid answer, so hookgate cannot tell whether the event is new.
 * Adapters respond with 503 and `Retry-After`. `cause` holds the store's error.
 *
 * @example
 * ```ts
 * const onError: ListenerOptions['onError'] = (error) => {
 *   if (error instanceof EventStoreError) console.error(error.cause)
 * }
 * ```
 */
export class EventStoreError extends CodedError<'ERR_EVENT_STORE'> {
  /** Sent as `Retry-After`, in seconds. */
  readonly retryAfterSeconds: number = RETRY_AFTER_SECONDS

  constructor(message: string, options?: Cause) {
    super('EventStoreError', 'ERR_EVENT_STORE', message, options)
  }
}

/**
 * The event is no longer this handler's, and its next delivery may run while the handler still does. Given to `onError`, and the reason
 * of `event.signal`. Adapters also write its code to the console if there is no `onError`. By `code`:
 *
 * - `ERR_LEASE_LOST`: the lease ended before it could be renewed. `cause` holds the store's error, if there was one. Thrown by
 *   `event.commit(tx)`, whose transaction then fails.
 * - `ERR_RUN_TOO_LONG`: the handler ran longer than `maxRunSeconds`.
 * - `ERR_NO_ANSWER`: the handler outlived its lease, and the store has no `renew`.
 *
 * @example
 * ```ts
 * const onError: ListenerOptions['onError'] = (error, { eventId }) => {
 *   if (error instanceof LeaseLostError) console.error(eventId, error.code)
 * }
 * ```
 */
export class LeaseLostError extends CodedError<'ERR_LEASE_LOST' | 'ERR_RUN_TOO_LONG' | 'ERR_NO_ANSWER'> {
  constructor(code: LeaseLostError['code'], message: string, options?: Cause) {
    super('LeaseLostError', code, message, options)
  }
}

/**
 * `listeners()` could not load a listener in time, and has no earlier copy that it may still use.
 * Adapters respond with 503 and `Retry-After`. `cause` holds the error of `load`.
 *
 * @example
 * ```ts
 * const onError: ListenersOptions['onError'] = (error, { listenerId }) => {
 *   if (error instanceof ListenerLoadError) console.error(listenerId, error.cause)
 * }
 * ```
 */
export class ListenerLoadError extends CodedError<'ERR_LISTENER_LOAD'> {
  /** Sent as `Retry-After`, in seconds. */
  readonly retryAfterSeconds: number = RETRY_AFTER_SECONDS

  constructor(message: string, options?: Cause) {
    super('ListenerLoadError', 'ERR_LISTENER_LOAD', message, options)
  }
}

/**
 * No usable key set: the key host is down, slow or does not serve a JWKS, and no earlier set may be used, or it lacks the
 * key. Adapters respond with 503 and `Retry-After`. `cause` is the same for all deliveries that one failed fetch left undecided.
 *
 * @example
 * ```ts
 * const verdict = await verify(delivery, listener).catch((error) => {
 *   if (error instanceof KeySetError) return new Response(null, { status: 503 })
 *   throw error
 * })
 * ```
 */
export class KeySetError extends CodedError<'ERR_KEY_SET'> {
  /** Seconds until the next attempt to fetch the keys. Sent as `Retry-After`. */
  readonly retryAfterSeconds: number

  constructor(message: string, retryAfterSeconds: number, options?: Cause) {
    super('KeySetError', 'ERR_KEY_SET', message, options)
    this.retryAfterSeconds = retryAfterSeconds
  }
}
