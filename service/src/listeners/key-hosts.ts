import { isIP } from 'node:net'
import { ListenerConfigError } from 'hookgate'
import { type KeySet, type RemoteKeySetOptions, remoteKeySet } from 'hookgate/jwt'
import { isPublicAddress } from 'hookgate/sender'
import { guardedFetch } from './guarded-fetch.ts'

/**
 * The keys at a URL that a tenant gave: from the public internet only, unless a development setting allows the rest.
 *
 * @throws ListenerConfigError for a URL that no keys could be fetched from. Where a name leads is not asked here: it is
 * judged at each fetch.
 */
export function tenantKeySet(
  url: string,
  { allowPrivateJwks }: { readonly allowPrivateJwks: boolean },
): KeySet {
  if (allowPrivateJwks) return keySetAt(url, { allowInsecureLoopback: true })
  const keySet = keySetAt(url, { fetch: guardedFetch() })
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(host) !== 0 && !isPublicAddress(host)) {
    throw new ListenerConfigError('jwksUrl', 'is at an address that is not of the public internet')
  }
  return keySet
}

/** What hookgate refuses as no `https:` is said anew: the option that it names is none of this service's users. */
function keySetAt(url: string, options: RemoteKeySetOptions): KeySet {
  try {
    return remoteKeySet(url, options)
  } catch (error) {
    if (!(error instanceof ListenerConfigError) || new URL(url).protocol === 'https:') throw error
    const loopback = options.allowInsecureLoopback
      ? 'http: is for addresses of this machine'
      : 'for tests on this machine start the service with SERVICE_ALLOW_PRIVATE_JWKS=on'
    throw new ListenerConfigError('jwksUrl', `must be an https: URL; ${loopback}`)
  }
}
