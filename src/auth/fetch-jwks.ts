import { decodeUtf8 } from '../lib/utf8.ts'
import { type Fetch, fetchBytes } from './fetch-bytes.ts'
import { Jwks } from './jwks.ts'

const MAX_DOCUMENT_BYTES = 262_144
const ACCEPT = 'application/jwk-set+json, application/json'

/** One bounded attempt to get a JWKS document. Rejects with an Error that says what failed. */
export async function fetchJwks(url: string, fetch: Fetch, timeoutMs: number): Promise<Jwks> {
  const limits = { fetch, timeoutMs, mostBytes: MAX_DOCUMENT_BYTES, accept: ACCEPT }
  return new Jwks(parseJson(await fetchBytes(url, limits)))
}

/** The engine's own message would quote the document. */
function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decodeUtf8(bytes) ?? '')
  } catch {
    throw new Error('sent something that is not JSON')
  }
}
