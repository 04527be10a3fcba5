import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import { Readable } from 'node:stream'
import type { Fetch } from 'hookgate/jwt'
import { type PublicOnlyOptions, publicOnly } from 'hookgate/sender'

/**
 * A `fetch` for the URLs that tenants give: `https:` only, and only to public addresses, as `publicOnly` judges them. Redirects are
 * not followed, and connections are not shared.
 */
export function guardedFetch(options: PublicOnlyOptions = {}): Fetch {
  const agent = publicOnly(options).https
  return async (url, { headers, signal }) => {
    if (new URL(url).protocol !== 'https:') throw new TypeError('only https: is fetched')
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      https.get(url, { headers, signal, agent }, resolve).once('error', reject)
    })
    return toWeb(response)
  }
}

/** Only the body of a 200 is read. Another one, which may never end, goes with its connection. */
function toWeb(response: IncomingMessage): Response {
  const { statusCode: status = 0 } = response
  if (status === 200) return new Response(Readable.toWeb(response) as ReadableStream) // Node's type of the same class
  response.destroy()
  return new Response(null, { status })
}
