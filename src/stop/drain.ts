import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2Session } from 'node:http2'
import { Server, type Socket } from 'node:net'

/** A connection that is in use shows up again within this time. */
const IDLE_MS = 500

/** npm passes on a Ctrl-C that its program already got from the terminal. */
export const SAME_KEYSTROKE_MS = 500

/** HTTP/2's notice that the server will go away: it names no last stream yet (RFC 9113 6.8). */
const NO_LAST_STREAM = 2 ** 31 - 1

/**
 * Knows what a server of Node does, and closes it without loss. `server.close()` closes each connection that is between two requests,
 * and resets it if the next one is already on its way. A sender that never retries, as GitHub, loses that event.
 */
export class Drain {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #sessions = new Set<Http2Session>()
  readonly #responses = new Set<ServerResponse>()
  /** The newest response of each connection of HTTP/1, because requests may be pipelined. */
  readonly #newest = new WeakMap<Socket, ServerResponse>()
  readonly #closing = new WeakSet<ServerResponse>()
  #isClosing = false

  /** @param events What the server emits with a response, if it listens. */
  constructor(server: Server, events: readonly string[] = eventsOf(server)) {
    this.#server = server
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    server.on('session', (session: Http2Session) => {
      this.#sessions.add(session)
      session.once('close', () => this.#sessions.delete(session))
      if (this.#isClosing) session.goaway(0, NO_LAST_STREAM)
    })
    for (const event of events)
      server.prependListener(event, (_request: IncomingMessage, response: ServerResponse) =>
        this.#track(response),
      )
  }

  /** How many requests are not answered yet. */
  get inFlight(): number {
    return this.#responses.size
  }

  /**
   * Takes no new connection, answers what comes on the open ones, the last time on each, and resolves when all are closed. Those that are
   * still open after `longestMs` are cut. Returns how many requests they had that were not answered.
   */
  async close(longestMs: number = Number.POSITIVE_INFINITY): Promise<number> {
    this.#isClosing = true
    for (const response of this.#responses)
      if (this.#newest.get(response.req.socket) === response) this.#closeAfter(response)
    for (const session of this.#sessions) session.goaway(0, NO_LAST_STREAM)
    let unanswered = 0
    const closing = setInterval(() => this.#closeIdle(), IDLE_MS)
    const cutting = Number.isFinite(longestMs)
      ? setTimeout(() => {
          unanswered = this.inFlight
          for (const socket of this.#sockets) socket.destroy()
        }, longestMs)
      : undefined
    await new Promise((resolve) => {
      // That of `node:net`, because that of `node:http` closes idle connections at once. Elsewhere, e.g. in Bun, they differ.
      if (this.#server instanceof Server) Server.prototype.close.call(this.#server, resolve)
      else (this.#server as Pick<Server, 'close'>).close(resolve)
    })
    clearInterval(closing)
    clearTimeout(cutting)
    return unanswered
  }

  #track(response: ServerResponse): void {
    this.#responses.add(response)
    response.once('close', () => this.#responses.delete(response))
    if (response.req.httpVersionMajor !== 1) return // HTTP/2 says it for the session
    const { socket } = response.req
    const before = this.#newest.get(socket)
    this.#newest.set(socket, response)
    if (!this.#isClosing) return
    this.#closeAfter(response)
    if (before && this.#closing.has(before) && !before.headersSent) before.removeHeader('connection')
  }

  /** Makes the response the last one on its connection. */
  #closeAfter(response: ServerResponse): void {
    if (response.headersSent) return
    response.setHeader('connection', 'close')
    this.#closing.add(response)
  }

  #closeIdle(): void {
    for (const session of this.#sessions) session.close()
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy() // e.g. what a browser opens in advance
    if ('closeIdleConnections' in this.#server) (this.#server as ClosesIdle).closeIdleConnections()
  }
}

/** A first listener would change what the server does: on HTTP/2, it makes a request of each stream. */
function eventsOf(server: Server): string[] {
  const isHttp2 = 'updateSettings' in server
  return ['request', 'checkContinue'].filter(
    (event) => server.listenerCount(event) > 0 || (event === 'request' && !isHttp2),
  )
}

/** The servers of `node:http` and `node:https`. */
interface ClosesIdle extends Server {
  closeIdleConnections(): void
}
