import { withDeadline } from '../lib/deadline.ts'
import { readAtMost } from '../lib/read-stream.ts'
import { decodeUtf8 } from '../lib/utf8.ts'
import { Jwks } from './jwks.ts'

const MAX_DOCUMENT_BYTES = 262_144

/** The part of `fetch` that is used: replace it to add a proxy, a private CA, or a guard against private addresses. */
export type Fetch = (
  url: string,
  init: {
    readonly method: 'GET'
    readonly redirect: 'manual'
    readonly headers: Record<string, string>
    readonly signal: AbortSignal
  },
) => Promise<Response>

/**
 * One attempt to get a JWKS document: no redirect is followed, at most 256 KB are read (counted after decompression),
 * and the deadline covers the body too. Rejects with an Error that says which of these failed.
 */
export function fetchJwks(url: string, fetch: Fetch, timeoutMs: number): Promise<Jwks> {
  const abort = new AbortController()
  const late = () => new Error(`did not answer within ${timeoutMs} ms`)
  // A host may go on sending, also where no body is to be had: 204, 205, 304.
  return withDeadline(readJwks(url, fetch, abort.signal), timeoutMs, late).finally(() => abort.abort())
}

async function readJwks(url: string, fetch: Fetch, signal: AbortSignal): Promise<Jwks> {
  const response = await fetch(url, {
    method: 'GET',
    redirect: 'manual',
    headers: { accept: 'application/jwk-set+json, application/json' },
    signal,
  })
  if (response.status !== 200) throw new Error(`answered with status ${response.status}`)
  const bytes = await readAtMost(response.body?.getReader(), MAX_DOCUMENT_BYTES)
  if (bytes.length > MAX_DOCUMENT_BYTES) throw new Error(`sent over ${MAX_DOCUMENT_BYTES} bytes`)
  return new Jwks(parseJson(bytes))
}

/** The engine's own message would quote the document. */
function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decodeUtf8(bytes) ?? '')
  } catch {
    throw new Error('sent something that is not JSON')
  }
}
