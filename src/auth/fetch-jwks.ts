import { parseJson } from '../lib/json-text.ts'
import { type Fetch, fetchBytes } from './fetch-bytes.ts'
import { Jwks } from './jwks.ts'

const LIMITS = { mostBytes: 262_144, accept: 'application/jwk-set+json, application/json' }

/** Fetches a JWKS document once, within bounds. Rejects with an Error that says what failed. */
export async function fetchJwks(url: string, fetch: Fetch, timeoutMs: number): Promise<Jwks> {
  const document = parseJson(await fetchBytes(url, { fetch, timeoutMs, ...LIMITS }))
  if ('problem' in document) throw new Error('did not send JSON')
  return new Jwks(document.value)
}
