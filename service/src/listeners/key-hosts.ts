import { isIP } from 'node:net'
import { ListenerConfigError } from 'hookgate'
import { type KeySet, type RemoteKeySetOptions, remoteKeySet } from 'hookgate/jwt'
import { isPublicAddress } from 'hookgate/sender'
import { guardedFetch } from './guarded-fetch.ts'

/**
 * The key set at a tenant's URL. Allows only public addresses, unless a development setting allows all.
 *
 * @throws ListenerConfigError for a URL that can never be fetched. Host names are resolved and judged at each fetch,
 * not here.
 */
export function tenantKeySet(
  url: string,
  { allowPrivateJwks }: { readonly allowPrivateJwks: boolean },
): KeySet {
  if (allowPrivateJwks) return keySetAt(url, { allowInsecureLoopback: true })
  const keySet = keySetAt(url, { fetch: guardedFetch() })
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(host) !== 0 && !isPublicAddress(host)) {
    throw new ListenerConfigError('jwksUrl', 'is not on the public internet')
  }
  return keySet
}

/** Rewrites hookgate's message for `http:`, which names an option that users of this service cannot set. */
function keySetAt(url: string, options: RemoteKeySetOptions): KeySet {
  try {
    return remoteKeySet(url, options)
  } catch (error) {
    if (!(error instanceof ListenerConfigError) || new URL(url).protocol === 'https:') throw error
    const loopback = options.allowInsecureLoopback
      ? 'http: is allowed only for loopback addresses'
      : 'for local tests, start the service with SERVICE_ALLOW_PRIVATE_JWKS=on'
    throw new ListenerConfigError('jwksUrl', `must be an https: URL; ${loopback}`)
  }
}
