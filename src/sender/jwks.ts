import { readJwk } from '../crypto/public-keys.ts'
import { ListenerConfigError } from '../errors.ts'
import { memberOf } from '../lib/member-of.ts'
import { MAX_KEYS } from '../limits.ts'

const PUBLIC_MEMBERS = ['kty', 'crv', 'n', 'e', 'x', 'y', 'kid', 'alg', 'use']
const HEADERS = { 'content-type': 'application/json', 'cache-control': 'public, max-age=300' }

/**
 * Makes a fetch handler that serves your public keys to receivers, e.g. at `/.well-known/jwks.json`. Takes private or
 * public JWKs, and publishes only the public members. Publish a new key 11 minutes before you sign with it, because
 * receivers cache the set for 10 minutes.
 *
 * @example
 * ```ts
 * const serve = jwks([currentKey, nextKey])
 * app.get('/.well-known/jwks.json', (c) => serve(c.req.raw))
 * ```
 *
 * @throws ListenerConfigError for keys that receivers would refuse: without a `kid`, with a repeated `kid`, too weak,
 * symmetric, or not for RS256, ES256 or EdDSA. Also for no keys, and for more than 100.
 */
export function jwks(keys: readonly object[]): (request: Request) => Response {
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > MAX_KEYS) {
    throw new ListenerConfigError('keys', `must be a list of 1 to ${MAX_KEYS} JWKs`)
  }
  const published = keys.map((key, index) => publicHalf(key, `keys[${index}]`))
  const ids = published.map(({ kid }) => kid)
  const twice = ids.findIndex((id, index) => ids.indexOf(id) !== index)
  if (twice !== -1) throw new ListenerConfigError(`keys[${twice}]`, 'has the kid of another key')
  const body = JSON.stringify({ keys: published })
  return ({ method }) => {
    if (method === 'HEAD') return new Response(null, { headers: HEADERS })
    if (method !== 'GET') return new Response(null, { status: 405, headers: { allow: 'GET, HEAD' } })
    return new Response(body, { headers: HEADERS })
  }
}

function publicHalf(
  key: object,
  option: string,
): { readonly kid: string; readonly [member: string]: unknown } {
  const members = PUBLIC_MEMBERS.flatMap((member) => {
    const value = memberOf(key, member)
    return value === undefined ? [] : [[member, value]]
  })
  const read = readJwk(Object.fromEntries(members))
  if (read === undefined)
    throw new ListenerConfigError(option, 'must be an RSA, P-256 or Ed25519 key with a kid')
  if (read.problem) throw new ListenerConfigError(option, `would be refused: ${read.problem}`)
  return { ...read.jwk, kid: read.keyId, alg: read.algorithm, use: 'sig' }
}
