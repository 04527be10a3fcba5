import type { Server } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

export interface StopOptions {
  readonly server: Server
  /** Its open connections. It does not count those idle that have sent nothing yet. */
  readonly sockets: ReadonlySet<Socket>
  /** Stops the background work and closes the database. */
  readonly end: () => Promise<void>
  /** How long to keep accepting connections while the probe says "not ready", in milliseconds. */
  readonly drainMs: number
  /** How long to wait for requests in flight after that, in milliseconds. */
  readonly deadlineMs: number
  readonly log: (line: string) => void
}

/** Time for steps and the database after the last connection. Killing them is safe. */
export const END_MS = 2_000

/**
 * How often connections that have become idle are closed. Otherwise the server waits for their keep-alive timeout. One that is in use
 * shows up again before that, and gets its answer.
 */
const IDLE_MS = 500

/**
 * Stops accepting requests, waits for those in flight, then stops the rest. Cuts the remaining connections at the
 * deadline. What was committed stays, everything else rolls back, as after a kill.
 *
 * @returns The exit code: 1 if the rest did not stop in time.
 */
export async function stop({ server, sockets, end, drainMs, deadlineMs, log }: StopOptions): Promise<0 | 1> {
  // Idle keep-alive connections would stop the server from closing.
  server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'))
  await pause(drainMs)
  const cut = setTimeout(() => {
    log(`Requests were still in flight after ${deadlineMs / 1_000} s. Cutting their connections.`)
    server.closeAllConnections()
  }, deadlineMs)
  const closing = setInterval(() => {
    server.closeIdleConnections()
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy() // e.g. what a browser opens in advance
  }, IDLE_MS)
  // That of `node:http` would reset requests that are on their way on idle connections.
  await new Promise((resolve) => NetServer.prototype.close.call(server, resolve))
  clearInterval(closing)
  clearTimeout(cut)
  const late = new Promise<1>((resolve) => setTimeout(resolve, END_MS, 1).unref())
  const code = await Promise.race([late, end().then(() => 0 as const)])
  if (code === 1)
    log('The database or a step of a run did not stop in time. Runs continue after the next start.')
  return code
}
