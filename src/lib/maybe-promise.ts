/**
 * A value or its promise. Values are used synchronously, which saves a turn of the event loop.
 *
 * @example
 * ```ts
 * const load: (id: string) => MaybePromise<Listener | undefined> = (id) =>
 *   id === 'main' ? listener : findTenant(id).then(toListener)
 * ```
 */
export type MaybePromise<T> = T | Promise<T>

export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  // Not `in`, which engines do not optimize.
  return typeof value === 'object' && typeof (value as { then?: unknown } | null)?.then === 'function'
}

/**
 * Whether what a handler has returned is a promise, of any realm: zone.js replaces `Promise`, and Jest has its own. False for other
 * thenables, such as the queries of some clients, which do their work anew for each `then`.
 */
export function isNativePromise(value: unknown): value is Promise<unknown> {
  return typeof value === 'object' && {}.toString.call(value) === '[object Promise]'
}

/** Calls `next` with the value: now if it is known, otherwise when it resolves. */
export function whenKnown<T, U>(
  value: T | PromiseLike<T>,
  next: (value: T) => MaybePromise<U>,
): MaybePromise<U> {
  return isPromise(value) ? Promise.resolve(value).then(next) : next(value)
}
