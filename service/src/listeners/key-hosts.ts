import { isIP } from 'node:net'
import { KeySetError, ListenerConfigError } from 'hookgate'
import { type Fetch, type KeySet, type RemoteKeySetOptions, remoteKeySet } from 'hookgate/jwt'
import { isPublicAddress } from 'hookgate/sender'
import { guardedFetch } from './guarded-fetch.ts'

export interface KeyHostOptions {
  /** Allows all addresses, for development. */
  readonly allowPrivateJwks: boolean
  /** Gets one line when the host fails a delivery, and one when it has answered again. */
  readonly log: (line: string) => void
  /** A monotonic clock in milliseconds. Default: `performance`. */
  readonly clock?: { now(): number } | undefined
}

/**
 * The key set at a tenant's URL. Allows only public addresses, unless a development setting allows all.
 *
 * @throws ListenerConfigError for a URL that can never be fetched. Host names are resolved and judged at each fetch,
 * not here.
 */
export function tenantKeySet(url: string, { allowPrivateJwks, log, clock }: KeyHostOptions): KeySet {
  const fetch: Fetch = allowPrivateJwks ? (...request) => globalThis.fetch(...request) : guardedFetch()
  const keySet = watched(fetch, log, (seen) =>
    keySetAt(url, { fetch: seen, clock, allowInsecureLoopback: allowPrivateJwks }),
  )
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')
  if (!allowPrivateJwks && isIP(host) !== 0 && !isPublicAddress(host))
    throw new ListenerConfigError('jwksUrl', 'is not on the public internet')
  return keySet
}

/**
 * Logs each outage once. Tokens with unknown keys fail meanwhile, others pass with the last good set, so only an answer
 * of the host ends it.
 */
function watched(fetch: Fetch, log: (line: string) => void, keySetWith: (seen: Fetch) => KeySet): KeySet {
  let isOut = false
  let hasAnswered = false
  const keySet = keySetWith(async (...request) => {
    const response = await fetch(...request)
    hasAnswered = response.ok
    return response
  })
  return {
    async find(keyId, algorithm) {
      try {
        const found = await keySet.find(keyId, algorithm)
        if (isOut && hasAnswered) log('its key host is back')
        if (hasAnswered) isOut = false
        return found
      } catch (error) {
        if (!isOut && error instanceof KeySetError)
          log(
            `its key host is unavailable: ${error.message}. Until it is back, its tokens may be answered 503`,
          )
        isOut = true
        hasAnswered = false
        throw error
      }
    },
  }
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
