/** Each code is a heading on this page. */
export const ERRORS_PAGE = 'https://github.com/hookgate/hookgate/blob/main/docs/errors.md#'

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
export class ListenerConfigError extends Error {
  /** Survives minification, unlike the name of the class. */
  override readonly name = 'ListenerConfigError'
  /** Stable. Compare this instead of using `instanceof` if two copies of the package may be loaded. */
  readonly code = 'ERR_LISTENER_CONFIG'
  /** A link to the causes and fixes. */
  readonly help: string = `${ERRORS_PAGE}err_listener_config`
  /** The option at fault as you wrote it, e.g. `allowedCidrs` or `secrets[1].id`. */
  readonly option: string

  constructor(option: string, problem: string, options?: ErrorOptions) {
    super(`${option}: ${problem}`, options)
    this.option = option
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
export class EventStoreError extends Error {
  /** Survives minification, unlike the name of the class. */
  override readonly name = 'EventStoreError'
  /** Stable. Compare this instead of using `instanceof` if two copies of the package may be loaded. */
  readonly code = 'ERR_EVENT_STORE'
  /** A link to the causes and fixes. */
  readonly help: string = `${ERRORS_PAGE}err_event_store`
  /** Sent as `Retry-After`, in seconds. */
  readonly retryAfterSeconds: number = RETRY_AFTER_SECONDS
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
export class ListenerLoadError extends Error {
  /** Survives minification, unlike the name of the class. */
  override readonly name = 'ListenerLoadError'
  /** Stable. Compare this instead of using `instanceof` if two copies of the package may be loaded. */
  readonly code = 'ERR_LISTENER_LOAD'
  /** A link to the causes and fixes. */
  readonly help: string = `${ERRORS_PAGE}err_listener_load`
  /** Sent as `Retry-After`, in seconds. */
  readonly retryAfterSeconds: number = RETRY_AFTER_SECONDS
}

/**
 * No usable key set: the key host is down, slow or does not serve a JWKS, and no earlier set may be used.
 * Adapters respond with 503 and `Retry-After`.
 *
 * @example
 * ```ts
 * const verdict = await verify(delivery, listener).catch((error) => {
 *   if (error instanceof KeySetError) return new Response(null, { status: 503 })
 *   throw error
 * })
 * ```
 */
export class KeySetError extends Error {
  /** Survives minification, unlike the name of the class. */
  override readonly name = 'KeySetError'
  /** Stable. Compare this instead of using `instanceof` if two copies of the package may be loaded. */
  readonly code = 'ERR_KEY_SET'
  /** A link to the causes and fixes. */
  readonly help: string = `${ERRORS_PAGE}err_key_set`
  /** Seconds until the next attempt to fetch the keys. Sent as `Retry-After`. */
  readonly retryAfterSeconds: number

  constructor(message: string, retryAfterSeconds: number, options?: ErrorOptions) {
    super(message, options)
    this.retryAfterSeconds = retryAfterSeconds
  }
}
