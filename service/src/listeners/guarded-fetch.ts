import dns from 'node:dns'
import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { Readable } from 'node:stream'
import type { Fetch } from 'hookgate/jwt'
import { isPublicAddress } from 'hookgate/sender'

/** The key host of a tenant is, or leads to, an address that is not of the public internet. */
export class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError'
}

export interface GuardedFetchOptions {
  /** Resolves host names. Default: the system's resolver. */
  readonly lookup?: LookupFunction | undefined
  /** Default: `isPublicAddress`. */
  readonly isAllowed?: ((address: string) => boolean) | undefined
  /** Sends the request. Default: `https.get`. */
  readonly get?: typeof https.get | undefined
  /** Certificates to trust instead of the system's, as PEM. */
  readonly ca?: string | undefined
}

/**
 * A `fetch` for the URLs that tenants give: `https:` only, and only to public addresses. A name is resolved once, every
 * address it has is judged, and the connection goes to what was judged: no second answer of a name server gets between.
 * Redirects are not followed, and connections are not shared.
 */
export function guardedFetch(options: GuardedFetchOptions = {}): Fetch {
  const { ca, get = https.get, isAllowed = isPublicAddress } = options
  const lookup = guardedLookup(options.lookup ?? dns.lookup, isAllowed)
  return async (url, { headers, signal }) => {
    const { hostname, protocol } = new URL(url)
    if (protocol !== 'https:') throw new TypeError('only https: is fetched')
    const literal = hostname.replace(/^\[(.*)\]$/, '$1') // sockets never look an address up
    if (isIP(literal) !== 0 && !isAllowed(literal)) throw refused(literal)
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(url, { headers, signal, lookup, ca, agent: false }, resolve).once('error', reject)
    })
    return toWeb(response)
  }
}

/** One bad address among good ones refuses them all: such an answer is a trap or a mistake. */
function guardedLookup(lookup: LookupFunction, isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '')
      const addresses = Array.isArray(found) ? found : [{ address: found, family: isIP(found) }]
      const [first] = addresses
      const stray = addresses.find(({ address }) => !isAllowed(address))
      if (!first || stray) return callback(refused(stray?.address ?? hostname), '')
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family)
    })
  }
}

function refused(address: string): AddressRefusedError {
  return new AddressRefusedError(`is at ${address}, which is no address of the public internet`)
}

/** Only the body of a 200 is read. Another one, which may never end, goes with its connection. */
function toWeb(response: IncomingMessage): Response {
  const { statusCode: status = 0 } = response
  if (status === 200) return new Response(Readable.toWeb(response) as ReadableStream) // Node's type of the same class
  response.destroy()
  return new Response(null, { status })
}
