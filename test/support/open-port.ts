import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A port that leads to a Unix socket. */
export interface OpenPort {
  readonly port: number
  /** Ends its connections, too. */
  close(): void
}

/** Opens a port for a server that has a socket only: not every client can name one in a URL. */
export async function openPort(socketPath: string): Promise<OpenPort> {
  const sockets = new Set<Socket>()
  const join = (from: Socket, to: Socket) => {
    sockets.add(from)
    from.on('error', () => to.destroy())
    from.on('close', () => to.destroy())
    from.pipe(to)
  }
  const front = createServer((incoming) => {
    const outgoing = connect(socketPath)
    join(incoming, outgoing)
    join(outgoing, incoming)
  })
  await once(front.listen(0, '127.0.0.1'), 'listening')
  const { port } = front.address() as AddressInfo // of a listening server
  return {
    port,
    close() {
      for (const socket of sockets) socket.destroy()
      front.close()
    },
  }
}
