import type { Server } from 'node:net'

/** A service that listens on all addresses is reached from this machine by loopback. */
const UNSPECIFIED: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** Where a server that listens is reached from this machine: `http://127.0.0.1:8788`. */
export function originOf(server: Server): string {
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new TypeError('the server listens on no port')
  const address = UNSPECIFIED[bound.address] ?? bound.address
  return `http://${bound.family === 'IPv6' ? `[${address}]` : address}:${bound.port}`
}
