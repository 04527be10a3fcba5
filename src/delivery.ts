/**
 * One HTTP request that delivers an event, independent of any framework.
 *
 * @example
 * ```ts
 * const delivery: Delivery = {
 *   method: 'POST',
 *   header: (name) => request.headers.get(name) ?? undefined,
 *   body: new Uint8Array(await request.arrayBuffer()),
 *   sourceIp: undefined,
 * }
 * ```
 */
export interface Delivery {
  /** The HTTP method as it stood on the request line. */
  readonly method: string
  /**
   * The value of a header by its lower-case name: undefined when absent, an array when it came more than once.
   * The text must be what was received: it is part of what the sender signed.
   */
  header(name: string): string | readonly string[] | undefined
  /** The exact bytes of the body. A reader that stops at the limit hands over limit + 1 of them. */
  readonly body: Uint8Array
  /** The request's path and query, or its whole URL. Only its query is read: by handshakes, and by CloudEvents, whose token may be there. */
  readonly url?: string | undefined
  /** Ends the detail of `method_not_post`, for your logs: why a request got here that may be no webhook. */
  readonly where?: string | undefined
  /** The address the delivery came from, as far as the host knows it. */
  readonly sourceIp: string | undefined
}

/** Absent and empty are the same; a header that came twice is an array. */
export function headerOf(delivery: Delivery, name: string): string | readonly string[] | undefined {
  const value = delivery.header(name)
  if (!value?.length) return undefined // null, too: so `headers.get(name)` will do
  return typeof value === 'string' || value.length > 1 ? value : value[0] || undefined
}
