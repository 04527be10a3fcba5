/**
 * One HTTP request that delivers an event, independent of any framework.
 *
 * @example
 * ```ts
 * const delivery: Delivery = {
 *   method: 'POST',
 *   header: (name) => request.headers.get(name) ?? undefined,
 *   joinsHeaders: true,
 *   body: new Uint8Array(await request.arrayBuffer()),
 *   sourceIp: undefined,
 * }
 * ```
 */
export interface Delivery {
  /** The HTTP method, exactly as on the request line. */
  readonly method: string
  /**
   * Returns a header by its lower-case name: undefined if absent, an array if it was sent more than once.
   * Must return the text exactly as received, because the sender may have signed it.
   */
  header(name: string): string | readonly string[] | undefined
  /**
   * Whether the host joins the lines of a repeated header with commas, as a web `Headers` does. What was signed as the bytes of each
   * line (`;bs` of RFC 9421) is then refused if it has a comma. Defaults to false.
   */
  readonly joinsHeaders?: boolean | undefined
  /**
   * The exact bytes of the body. If the body is over the limit, pass the first limit + 1 bytes. Leave them unchanged until the verdict:
   * a body of over a megabyte is hashed in several turns of the event loop.
   */
  readonly body: Uint8Array
  /**
   * The request's path and query, or its full URL, exactly as received. Handshakes read the query, and so do CloudEvents, whose
   * token may be there, and the schemes of senders that sign the URL. These refuse a path with an encoded question mark, unless
   * that of `publicUrl` has one. Undefined if the host does not know it: then `publicUrl` must have the signed query.
   */
  readonly url?: string | undefined
  /**
   * Appended to the detail of `method_not_post`, for your logs: why a request that may not be a webhook got
   * here.
   */
  readonly where?: string | undefined
  /** The source address of the delivery. Undefined if the host does not know it. */
  readonly sourceIp: string | undefined
}

/** Treats an empty header like an absent one. A repeated header is an array. */
export function headerOf(
  delivery: Pick<Delivery, 'header'>,
  name: string,
): string | readonly string[] | undefined {
  const value = delivery.header(name)
  if (!value?.length) return undefined // null too, so that you can pass `headers.get(name)`
  return typeof value === 'string' || value.length > 1 ? value : value[0] || undefined
}

/** The longest URL of a request, in characters. */
export const LONGEST_URL = 8192

/** The query exactly as received, without its question mark. Undefined if the URL is over 8,192 characters. */
export function queryTextOf({ url = '' }: Pick<Delivery, 'url'>): string | undefined {
  if (url.length > LONGEST_URL) return undefined
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}

/**
 * The value of a header that may be a list, or a token with `, `. Repeated lines are joined with `, ` (RFC 9110 5.3). A web
 * runtime reports a value that contains `, ` as repeated, and joining restores it.
 */
export function fieldText(delivery: Pick<Delivery, 'header'>, name: string): string | undefined {
  const value = headerOf(delivery, name)
  return typeof value === 'object' ? value.join(', ') : value
}

/** Parses Content-Length. Undefined if it is absent, repeated or not a whole number. */
export function announcedBytes(contentLength: string | readonly string[] | undefined): number | undefined {
  return typeof contentLength === 'string' && /^[0-9]+$/.test(contentLength)
    ? Number(contentLength)
    : undefined
}
