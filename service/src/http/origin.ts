import type { Server } from 'node:net'

/** The loopback address to use for a service that listens on all addresses. */
const UNSPECIFIED: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** The URL of a listening server on this machine, e.g. `http://127.0.0.1:8788`. */
export function originOf(server: Server): string {
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new TypeError('the server does not listen on a port')
  const address = UNSPECIFIED[bound.address] ?? bound.address
  return `http://${bound.family === 'IPv6' ? `[${address}]` : address}:${bound.port}`
}
