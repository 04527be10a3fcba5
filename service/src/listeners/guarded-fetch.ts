import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import { Readable } from 'node:stream'
import type { Fetch } from 'hookgate/jwt'
import { type PublicOnlyOptions, publicOnly } from 'hookgate/sender'

/**
 * A `fetch` for URLs from tenants. Allows only `https:` and public addresses, by `publicOnly`. Does not follow
 * redirects or share connections.
 */
export function guardedFetch(options: PublicOnlyOptions = {}): Fetch {
  const agent = publicOnly(options).https
  return async (url, { headers, signal }) => {
    if (new URL(url).protocol !== 'https:') throw new TypeError('only https: URLs are fetched')
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      https.get(url, { headers, signal, agent }, resolve).once('error', reject)
    })
    return toWeb(response)
  }
}

/** Reads only the body of a 200. Any other body may be endless, so its connection is destroyed. */
function toWeb(response: IncomingMessage): Response {
  const { statusCode: status = 0 } = response
  if (status === 200) return new Response(Readable.toWeb(response) as ReadableStream) // the same class, typed by Node
  response.destroy()
  return new Response(null, { status })
}
