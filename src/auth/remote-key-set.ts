import { ListenerConfigError } from '../errors.ts'
import { parseJson } from '../lib/json.ts'
import { aBoolean, checkOptions, optional } from '../lib/options.ts'
import { type TracingChannel, traced, tracingChannel } from '../lib/tracing.ts'
import { MAX_KEY_SET_BYTES } from '../limits.ts'
import type { KeysFields } from '../report.ts'
import { type Fetch, fetchBytes, platformFetch } from './fetch-bytes.ts'
import { Jwks, type KeySet } from './jwks.ts'
import { REMOTE_OPTIONS, type RemoteOptions, RemoteValue, TIMEOUT_SECONDS } from './remote-value.ts'

/** Each fetch of a set, for subscribers. */
const KEYS: TracingChannel | undefined = /* @__PURE__ */ tracingChannel('keys')

/** The options of `remoteKeySet`. */
export interface RemoteKeySetOptions extends RemoteOptions {
  /** Whether to accept `http:` URLs on this machine, for tests. Defaults to false. */
  readonly allowInsecureLoopback?: boolean | undefined
}

/**
 * Fetches the sender's JWKS when a token first needs it, and caches it for 10 minutes. Renews it in the
 * background after 5. Makes at most one fetch per 30 s, failures included, and shares it among all deliveries
 * that wait. An unknown `kid` can cause a fetch only within this limit. While the host is down, the last good
 * set is used, and an unknown `kid` fails with KeySetError (503). A key that is missing from a newer set is dropped
 * at once. Create one per URL, at start.
 *
 * Does not check where the host name leads. If strangers configure the URL, pass a `fetch` that refuses private addresses.
 *
 * @example
 * ```ts
 * const keySet = remoteKeySet('https://sender.example/.well-known/jwks.json', { timeoutSeconds: 2 })
 * ```
 *
 * @throws ListenerConfigError for unknown options, and unless the URL is `https:` and has no credentials.
 */
export function remoteKeySet(url: string | URL, options: RemoteKeySetOptions = {}): KeySet {
  checkOptions('remoteKeySet', options, { ...REMOTE_OPTIONS, allowInsecureLoopback: optional(aBoolean) })
  const { href, origin, pathname } = jwksUrl(url, options.allowInsecureLoopback)
  return fetchedKeySet(href, origin + pathname, options)
}

/** Like `remoteKeySet`, for a URL that is already validated. @param where What errors call it. */
export function fetchedKeySet(url: string, where: string, options: RemoteOptions): KeySet {
  const { fetch = platformFetch, timeoutSeconds = TIMEOUT_SECONDS } = options
  const load = () => fetchJwks(url, fetch, timeoutSeconds * 1000)
  const jwks = new RemoteValue(
    where,
    (trigger) => traced(KEYS, load, (set): KeysFields => ({ url: where, trigger, keys: set?.size })),
    options,
  )
  return {
    find: (keyId, algorithm) =>
      jwks.get(
        (known) => known.has(keyId),
        (known) => known.find(keyId, algorithm),
      ),
  }
}

const LIMITS = { mostBytes: MAX_KEY_SET_BYTES, accept: 'application/jwk-set+json, application/json' }

/** Fetches a JWKS document once, within bounds. Rejects with an Error that says what failed. */
async function fetchJwks(url: string, fetch: Fetch, timeoutMs: number): Promise<Jwks> {
  const document = parseJson(await fetchBytes(url, { fetch, timeoutMs, ...LIMITS }))
  if ('problem' in document) throw new Error('did not send JSON')
  return new Jwks(document.value)
}

export const LOOPBACK_HOST: RegExp = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/

/** @throws ListenerConfigError unless the URL is `https:` and carries no credentials. */
function jwksUrl(given: string | URL, allowInsecureLoopback: boolean | undefined): URL {
  const url = URL.canParse(String(given)) ? new URL(given) : undefined
  const insecure = url?.protocol === 'http:' && allowInsecureLoopback && LOOPBACK_HOST.test(url.hostname)
  if (url?.protocol !== 'https:' && !insecure) {
    throw new ListenerConfigError('url', 'must be https:, or set allowInsecureLoopback')
  }
  if (url.username || url.password) throw new ListenerConfigError('url', 'must have no credentials')
  return url
}
