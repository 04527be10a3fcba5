/**
 * The developer's mistake: thrown by `defineListener`, `hmac`, `jwt`, the key sets and the adapters, or handed to
 * the framework's error path when only a request can show it (a body that a parser took first, say).
 * The message names the fix. It never contains a secret.
 */
export class ListenerConfigError extends Error {
  /** Always this, also where minifying renames the class. */
  override readonly name = 'ListenerConfigError'
  /** Stable: code may depend on it, where `instanceof` meets two copies of the package. */
  readonly code = 'ERR_LISTENER_CONFIG'
  /** The option at fault, as it is spelt in the call: `allowedCidrs`, `secrets[1].id`. */
  readonly option: string

  constructor(option: string, problem: string) {
    super(`${option}: ${problem}`)
    this.option = option
  }
}

/** What an undecided delivery's sender is told to wait, in seconds, where nothing better is known. */
const RETRY_AFTER_SECONDS = 5

/**
 * The event store failed, hung or answered nonsense, so nobody knows whether the event is new.
 * Adapters answer 503 with Retry-After. `cause` holds what the store threw.
 */
export class EventStoreError extends Error {
  /** Always this, also where minifying renames the class. */
  override readonly name = 'EventStoreError'
  /** Stable: code may depend on it, where `instanceof` meets two copies of the package. */
  readonly code = 'ERR_EVENT_STORE'
  /** What the sender is told to wait, in seconds. */
  readonly retryAfterSeconds: number = RETRY_AFTER_SECONDS
}

/**
 * Your database did not say in time whether there is such a listener, and none that was loaded before may stand in: thrown by
 * `listeners()`. Adapters answer 503 with Retry-After. `cause` holds what `load` threw.
 */
export class ListenerLoadError extends Error {
  /** Always this, also where minifying renames the class. */
  override readonly name = 'ListenerLoadError'
  /** Stable: code may depend on it, where `instanceof` meets two copies of the package. */
  readonly code = 'ERR_LISTENER_LOAD'
  /** What the sender is told to wait, in seconds. */
  readonly retryAfterSeconds: number = RETRY_AFTER_SECONDS
}

/**
 * No usable key set: the key host is down, slow, or does not serve a JWKS, and no earlier set can stand in.
 * Adapters answer 503 with Retry-After.
 */
export class KeySetError extends Error {
  /** Always this, also where minifying renames the class. */
  override readonly name = 'KeySetError'
  /** Stable: code may depend on it, where `instanceof` meets two copies of the package. */
  readonly code = 'ERR_KEY_SET'
  /** When the key host is asked again, in seconds: what the sender is told to wait. */
  readonly retryAfterSeconds: number

  constructor(message: string, retryAfterSeconds: number, options?: ErrorOptions) {
    super(message, options)
    this.retryAfterSeconds = retryAfterSeconds
  }
}
