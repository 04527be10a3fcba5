import { once } from 'node:events'
import type { Server } from 'node:http'
import { RefusedError } from '../command-line/exit.ts'
import { codeOf } from '../command-line/values.ts'

const PROBLEMS: { readonly [code: string]: string } = {
  EADDRINUSE: 'the port is in use; choose another with --port, or --port 0 for any free one',
  EACCES: 'this port needs more privileges; choose one above 1023 with --port',
  EADDRNOTAVAIL: 'this machine has no such address; choose another with --host',
  ENOTFOUND: 'there is no such host; choose another with --host',
}

/** Opens the port, and returns the base URL that reaches it. @throws RefusedError when the port cannot be opened. */
export async function bind(server: Server, host: string, port: number): Promise<string> {
  try {
    await once(server.listen(port, host), 'listening')
  } catch (error) {
    const problem =
      PROBLEMS[codeOf(error)] ??
      `it cannot be opened (${codeOf(error)}); choose another with --port or --host`
    throw new RefusedError(`${host} port ${port}: ${problem}`)
  }
  const address = server.address()
  const bound = typeof address === 'object' && address !== null ? address.port : port
  return `http://${ANY_ADDRESS[host] ?? (host.includes(':') ? `[${host}]` : host)}:${bound}`
}

/** These stand for every address of the machine. Maps each to one that works from here. */
const ANY_ADDRESS: { readonly [host: string]: string } = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }
