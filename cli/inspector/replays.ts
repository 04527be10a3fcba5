import { once } from 'node:events'
import { request } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { SignedRequest } from '../../src/signing/sign.ts'

const TIMEOUT_MS = 30_000

/** The deliveries that the page is sending, by their source port. */
export class Replays {
  readonly #origins = new Map<number, number>()

  /** Whether the page is sending nothing, so that no lookup is needed. */
  get isIdle(): boolean {
    return this.#origins.size === 0
  }

  /** The number of the delivery that the one from this address repeats. */
  originOf({
    remoteAddress = '',
    remotePort = 0,
  }: Pick<Socket, 'remoteAddress' | 'remotePort'>): number | null {
    const isLocal = /^(::ffff:)?127\.|^::1$/.test(remoteAddress)
    return isLocal ? (this.#origins.get(remotePort) ?? null) : null
  }

  /** Sends over its own connection. @returns The status of the answer, once it is complete. */
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
