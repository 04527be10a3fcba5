import { memberOf } from '../member-of.ts'

/** The codes of a socket whose server is unreachable. */
const SOCKET_CODES: readonly unknown[] = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT', // a socket file
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
]

/** The system calls that tell a socket's error from a file's. */
const SOCKET_CALLS: readonly unknown[] = ['connect', 'read', 'write', 'getaddrinfo']

/** Broken connections, a read-only server, refused logins, a missing database, lack of resources, shutdown or startup. */
const SQLSTATE = /^(08\w{3}|25006|28\w{3}|3D000|53\w{3}|57P0[1-5])$/

/** Errors without codes: pg's own, and those of a hookgate store that hangs. */
const MESSAGE =
  /^(the event store did not \w+ within|Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed)/

/**
 * Whether the database was unreachable or stopped answering, so that a retry may succeed. Looks into hookgate's
 * EventStoreError too. False for a statement that Postgres refuses.
 */
export function isUnreachable(error: unknown): boolean {
  const cause = memberOf(error, 'name') === 'EventStoreError' && memberOf(error, 'cause')
  if (cause) return isUnreachable(cause)
  const code = memberOf(error, 'code')
  if (SOCKET_CODES.includes(code)) {
    return SOCKET_CALLS.includes(memberOf(error, 'syscall')) || error instanceof AggregateError
  }
  return SQLSTATE.test(String(code)) || MESSAGE.test(String(memberOf(error, 'message')))
}
