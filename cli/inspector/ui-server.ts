import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { RefusedError } from '../command-line/exit.ts'
import { remark } from '../command-line/output.ts'
import { codeOf } from '../command-line/values.ts'
import { readAssets } from './assets.ts'
import { SAFE_HEADERS, showsToken, turnedAway } from './guard.ts'

const LOOPBACK = '127.0.0.1'
const PORTS_TRIED = 20
const TOKEN_BYTES = 32

/** Answers a request for `/api/…` that has the token. */
export type AnswerApi = (
  request: IncomingMessage,
  path: string,
  response: ServerResponse,
) => Promise<void> | void

export interface UiServer {
  /** Has the token in its fragment, which browsers do not send. */
  readonly url: string
  close(): Promise<void>
}

/**
 * Serves the page on loopback only, and on its own port, because people tunnel the endpoint's port.
 *
 * @throws RefusedError if no port can be opened.
 */
export async function serveUi(port: number, answerApi: AnswerApi): Promise<UiServer> {
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
    url: `http://${LOOPBACK}:${bound}/#${token}`,
    async close() {
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

/** Opens the port, or the next free one. */
async function listenFrom(server: Server, wanted: number): Promise<number> {
  for (let port = wanted; ; port += 1) {
    try {
      await once(server.listen(port, LOOPBACK), 'listening')
      const address = server.address()
      return typeof address === 'object' && address !== null ? address.port : port
    } catch (error) {
      const mayTryNext = codeOf(error) === 'EADDRINUSE' && port < wanted + PORTS_TRIED && port < 65_535
      if (!mayTryNext) {
        throw new RefusedError(
          `--ui-port ${wanted}: it cannot be opened (${codeOf(error)}); choose another, or 0`,
        )
      }
    }
  }
}
