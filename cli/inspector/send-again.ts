import { once } from 'node:events'
import { request } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { SignedRequest } from '../../src/signing/sign.ts'

const TIMEOUT_MS = 30_000

/** Which deliveries the page sent, by the port they came from. */
export class Replays {
  readonly #origins = new Map<number, number>()

  /** Whether the page is sending nothing: then no delivery has to be looked up. */
  get isIdle(): boolean {
    return this.#origins.size === 0
  }

  /** The delivery that the one from this address repeats. */
  originOf({
    remoteAddress = '',
    remotePort = 0,
  }: Pick<Socket, 'remoteAddress' | 'remotePort'>): number | null {
    const isLocal = /^(::ffff:)?127\.|^::1$/.test(remoteAddress)
    return isLocal ? (this.#origins.get(remotePort) ?? null) : null
  }

  /** Sends over a connection of its own. @returns The status of the answer, once all of it is there. */
  async send(url: string, { headers, body }: SignedRequest, origin: number): Promise<number> {
    const bytes = Buffer.from(body)
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const sent = request(url, {
      method: 'POST',
      agent: false,
      signal,
      headers: { ...headers, 'content-length': bytes.length },
    })
    let port = 0
    sent.once('socket', (socket) =>
      socket.once('connect', () => {
        port = (socket.address() as AddressInfo).port // a connected TCP socket has one
        this.#origins.set(port, origin)
        sent.end(bytes)
      }),
    )
    try {
      const [response] = await once(sent, 'response')
      response.resume()
      await once(response, 'close')
      return response.statusCode
    } finally {
      this.#origins.delete(port)
      sent.destroy()
    }
  }
}
