import type { KeysFields } from '../channel-fields.ts'
import { aBoolean, checkOptions, optional } from '../lib/options.ts'
import { type TracingChannel, traced, tracingChannel } from '../lib/tracing.ts'
import { platformFetch } from './fetch-bytes.ts'
import { fetchJwks } from './fetch-jwks.ts'
import { jwksUrl } from './jwks-url.ts'
import type { KeySet } from './key-set.ts'
import { REMOTE_OPTIONS, type RemoteOptions, TIMEOUT_SECONDS } from './remote-options.ts'
import { RemoteValue } from './remote-value.ts'

/** Each fetch of a set, for subscribers. */
const KEYS: TracingChannel | undefined = /* @__PURE__ */ tracingChannel('keys')

/**
 * The options of `remoteKeySet`.
 *
 * @see {@link remoteKeySet}
 */
export interface RemoteKeySetOptions extends RemoteOptions {
  /** Whether to accept `http:` URLs on this machine, for tests. Defaults to false. */
  readonly allowInsecureLoopback?: boolean | undefined
}

/**
 * Fetches the sender's JWKS when a token first needs it, and caches it for 10 minutes. Renews it in the
 * background after 5. Makes at most one fetch per 30 s, failures included, and shares it among all deliveries
 * that wait. An unknown `kid` can cause a fetch only within this limit. While the host is down, the last good
 * set is used. A key that is missing from a newer set is dropped at once. Create one per URL, at start.
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
