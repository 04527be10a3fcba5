import { isIP } from 'node:net'
import { ListenerConfigError } from 'hookgate'
import { type KeySet, remoteKeySet } from 'hookgate/jwt'
import { guardedFetch } from './guarded-fetch.ts'
import { isPublicAddress } from './public-address.ts'

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
  if (allowPrivateJwks) return remoteKeySet(url, { allowInsecureLoopback: true })
  const keySet = remoteKeySet(url, { fetch: guardedFetch() })
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(host) !== 0 && !isPublicAddress(host)) {
    throw new ListenerConfigError('url', 'is at an address that is not of the public internet')
  }
  return keySet
}
