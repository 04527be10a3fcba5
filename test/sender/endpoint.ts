import { createServer, type RequestListener } from 'node:http'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { type PublicAgents, publicOnly } from '../../src/sender/index.ts'

/** Lets a test reach its own servers on loopback, but no other non-public address. */
export const LOOPBACK: PublicAgents = publicOnly({ allow: ['127.0.0.1/32'] })

/** An HTTP server on this machine. Closes when the test ends. */
export async function endpoint(answer: RequestListener): Promise<{ url: string; port: number }> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const port = portOf(server.address())
  return { url: `http://127.0.0.1:${port}/hooks`, port }
}

/** A server that writes raw bytes instead of HTTP. */
export async function rawEndpoint(answer: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    socket.once('data', () => answer(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${portOf(server.address())}/hooks`
}

function portOf(address: ReturnType<ReturnType<typeof createTcpServer>['address']>): number {
  return Number(Object(address).port)
}
