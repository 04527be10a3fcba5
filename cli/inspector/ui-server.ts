import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { RefusedError } from '../command-line/exit.ts'
import { remark } from '../command-line/output.ts'
import { codeOf } from '../command-line/values.ts'
import { portOf } from '../listen/server.ts'

const LOOPBACK = '127.0.0.1'
const PORTS_TRIED = 20
const TOKEN_BYTES = 32

/** Answers a request for `/api/…` that has the token. */
export type AnswerApi = (
  request: IncomingMessage,
  path: string,
  response: ServerResponse,
) => Promise<void> | void

/**
 * Serves the page on loopback only, and on its own port, because people tunnel the endpoint's port.
 *
 * @throws RefusedError if no port can be opened.
 */
export async function serveUi(port: number, answerApi: AnswerApi) {
  const assets = await readAssets()
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const server = createServer()
  const bound = await listenFrom(server, port)
  if (port !== 0 && bound !== port)
    remark(`hookgate: port ${port} is in use, so the inspector is on ${bound}`)
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const [path = '/'] = (request.url ?? '/').split('?', 1)
    for (const [name, value] of Object.entries(SAFE_HEADERS)) response.setHeader(name, value)
    if (turnedAway(request, bound)) return refuse(response, 403, 'This page answers only its own origin.')
    const asset = assets.get(path)
    if (asset !== undefined) return void response.setHeader('content-type', asset.type).end(asset.bytes)
    if (!showsToken(request, token))
      return refuse(response, 401, 'Open the address that hookgate listen printed.')
    const failed = () => refuse(response, 500, 'The inspector failed.')
    Promise.resolve(answerApi(request, path.replace(/^\/api\//, ''), response)).catch(failed)
  })
  return {
    /** Has the token in its fragment, which browsers do not send. */
    url: `http://${LOOPBACK}:${bound}/#${token}`,
    async close(): Promise<void> {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

export function refuse(response: ServerResponse, status: number, error: string): void {
  if (response.headersSent) return void response.destroy()
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
}

/** Tries the next ports if this one is in use. */
async function listenFrom(server: Server, first: number): Promise<number> {
  for (let port = first; ; port += 1) {
    try {
      await once(server.listen(port, LOOPBACK), 'listening')
      return portOf(server)
    } catch (error) {
      const mayTryNext = codeOf(error) === 'EADDRINUSE' && port < first + PORTS_TRIED && port < 65_535
      if (!mayTryNext) {
        throw new RefusedError(
          `--ui-port ${first}: it cannot be opened (${codeOf(error)}); choose another, or 0`,
        )
      }
    }
  }
}

/**
 * Whether to refuse a request because it does not come from this page. Any page in the same browser can reach this port, under
 * any name that resolves to loopback. So the host must be one of ours (DNS rebinding), and the request must be same-origin.
 * `same-site` is refused too: all ports of localhost share a site.
 */
function turnedAway({ headers }: IncomingMessage, port: number): boolean {
  const { host, 'sec-fetch-site': site = 'none' } = headers
  const isOurName = host === `127.0.0.1:${port}` || host === `localhost:${port}`
  return !isOurName || !['none', 'same-origin'].includes(site)
}

/** Whether the request has the token, as `Authorization: Bearer`. Never a cookie: all ports of localhost share cookies. */
function showsToken({ headers }: IncomingMessage, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${token}`))
}

/** Headers of every response. Only this server's files may run in the page or be fetched by it, and nothing may frame it. */
const SAFE_HEADERS: { readonly [name: string]: string } = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

/** The page's files by path. `tools/bundle.mjs` builds them from the folder `page` into the published package. */
const FILES = [
  ['/', 'page.html', 'text/html; charset=utf-8'],
  ['/page.css', 'page.css', 'text/css; charset=utf-8'],
  ['/page.js', 'page.js', 'text/javascript; charset=utf-8'],
  ['/icon.svg', 'icon.svg', 'image/svg+xml'],
] as const

async function readAssets() {
  const folder = new URL('dist/cli/inspector/page/', import.meta.resolve('hookgate/package.json'))
  const entries = FILES.map(
    async ([path, file, type]) => [path, { type, bytes: await readFile(new URL(file, folder)) }] as const,
  )
  return new Map<string, { type: string; bytes: Uint8Array }>(await Promise.all(entries))
}
