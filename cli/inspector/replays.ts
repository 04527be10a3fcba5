import { request } from 'node:http'
import type { Socket } from 'node:net'
import type { SignedRequest } from '../../src/signing/sign.ts'
import type { Rerun } from '../listen/report.ts'
import type { Inspected } from './inspected.ts'

/** A delivery that the page sends. */
export interface Replay {
  /** The number of the delivery that it repeats. */
  readonly origin: number
  /** Undefined to test that duplicates are recognised. */
  readonly rerun: Rerun | undefined
}

/** A replay whose connection is open. */
export interface OpenReplay extends Replay {
  /** Resolves its `send`. */
  readonly resolve: (delivery: Inspected) => void
}

type Ends = Pick<Socket, 'localAddress' | 'localPort' | 'remoteAddress' | 'remotePort'>

/** The deliveries that the page is sending. They are recognised by both ends of their connection, which no sender can choose. */
export class Replays {
  readonly #open = new Map<string, OpenReplay>()

  /** The replay whose connection this is, on the listener's side. */
  of({ localAddress, localPort, remoteAddress, remotePort }: Ends): OpenReplay | undefined {
    if (this.#open.size === 0) return undefined
    return this.#open.get(connection(remoteAddress, remotePort, localAddress, localPort))
  }

  /** Sends over its own connection, because `of` recognises it by the ports, and waits as long as the app may take. */
  async send(url: string, { headers, body }: SignedRequest, replay: Replay): Promise<Inspected> {
    const bytes = Buffer.from(body)
    const sent = request(url, {
      method: 'POST',
      agent: false,
      headers: { ...headers, 'content-length': bytes.length },
    })
    let own = ''
    try {
      return await new Promise<Inspected>((resolve, reject) => {
        sent.once('error', reject)
        sent.once('response', (response) => response.resume().once('error', reject))
        sent.once('socket', (socket) => {
          socket.once('connect', () => {
            const { localAddress, localPort, remoteAddress, remotePort } = socket
            own = connection(localAddress, localPort, remoteAddress, remotePort)
            this.#open.set(own, { ...replay, resolve })
            sent.end(bytes)
          })
        })
      })
    } finally {
      this.#open.delete(own)
      sent.destroy()
    }
  }
}

/** A dual-stack server sees IPv4 addresses in their IPv6 form. */
function connection(...ends: readonly (string | number | undefined)[]): string {
  return ends.join(' ').replaceAll('::ffff:', '')
}
