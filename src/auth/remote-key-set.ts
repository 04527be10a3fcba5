import type { KeysFields } from '../channel-fields.ts'
import { aBoolean, checkOptions, optional } from '../lib/options.ts'
import { type TracingChannel, traced, tracingChannel } from '../lib/tracing.ts'
import { platformFetch } from './fetch-bytes.ts'
import { fetchJwks } from './fetch-jwks.ts'
import { jwksUrl } from './jwks-url.ts'
import type { KeySet } from './key-set.ts'
import { REMOTE_OPTIONS, type RemoteOptions, TIMEOUT_SECONDS } from './remote-options.ts'
import { RemoteValue } from './remote-value.ts'

/** Each attempt to fetch a set, for subscribers. */
const KEYS: TracingChannel | undefined = /* @__PURE__ */ tracingChannel('keys')

/** The options of `remoteKeySet`. */
export interface RemoteKeySetOptions extends RemoteOptions {
  /** Also take `http:` URLs of this machine, for tests. Default false. */
  readonly allowInsecureLoopback?: boolean | undefined
}

/**
 * The sender's JWKS, fetched when a token first needs it and then kept. Built for an endpoint that
 * strangers can call: one attempt per 30 s, failures included, shared by all who wait; a set is fresh for 10 minutes
 * and renewed after 5; a `kid` it lacks is worth an attempt, but not a storm; while the host is down, the last good
 * set stands in. A key that a later set lacks is gone at once. Make one per URL, at start.
 *
 * Not checked: where the host name leads. For URLs that strangers configure, give a `fetch` that refuses private addresses.
 *
 * @throws ListenerConfigError unless the URL is `https:` and carries no credentials.
 */
export function remoteKeySet(url: string | URL, options: RemoteKeySetOptions = {}): KeySet {
  checkOptions('remoteKeySet', options, { ...REMOTE_OPTIONS, allowInsecureLoopback: optional(aBoolean) })
  const { href, origin, pathname } = jwksUrl(url, options.allowInsecureLoopback)
  return fetchedKeySet(href, origin + pathname, options)
}

/** The same of a URL that is known to be right. @param where What errors call it. */
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
