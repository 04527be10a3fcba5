import { withDeadline } from '../lib/clock.ts'
import { readAtMost } from '../lib/read-stream.ts'

/**
 * The part of `fetch` that hookgate uses. Replace it to add a proxy, a private CA, or a guard against private addresses.
 *
 * @example
 * ```ts
 * const logged: Fetch = async (url, init) => {
 *   console.info(url)
 *   return await fetch(url, init)
 * }
 * ```
 */
export type Fetch = (
  url: string,
  init: {
    readonly method: 'GET'
    readonly redirect: 'manual'
    readonly headers: Record<string, string>
    readonly signal: AbortSignal
  },
) => Promise<Response>

/** Looks `fetch` up for each call, because tests and platforms replace it. */
export const platformFetch: Fetch = (...request) => globalThis.fetch(...request)

/** The limits of one fetch. */
interface FetchLimits {
  readonly fetch: Fetch
  readonly timeoutMs: number
  /** Counted after decompression. */
  readonly mostBytes: number
  /** The `Accept` header. */
  readonly accept: string
}

/**
 * Fetches a document, once. Follows no redirects, and the timeout includes the body. Rejects with an Error that says what
 * failed and never quotes the document. The error's `cause` is the status, if that is not 200.
 */
export function fetchBytes(url: string, limits: FetchLimits): Promise<Uint8Array> {
  const abort = new AbortController()
  const late = () => new Error(`did not answer within ${limits.timeoutMs} ms`)
  // A host may keep sending, even after a status that allows no body (204, 205, 304).
  return withDeadline(readDocument(url, limits, abort.signal), limits.timeoutMs, late).finally(() =>
    abort.abort(),
  )
}

async function readDocument(
  url: string,
  { fetch, mostBytes, accept }: FetchLimits,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const response = await fetch(url, { method: 'GET', redirect: 'manual', headers: { accept }, signal })
  const { status } = response
  if (status !== 200) throw new Error(`answered with status ${status}`, { cause: status })
  const bytes = await readAtMost(response.body?.getReader(), mostBytes)
  if (bytes === undefined) throw new Error(`sent over ${mostBytes} bytes`)
  return bytes
}
