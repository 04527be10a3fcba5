/** What a socket says whose server is gone, or was never there. */
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

/** The same codes come from files. */
const SOCKET_CALLS: readonly unknown[] = ['connect', 'read', 'write', 'getaddrinfo']

/** Postgres: connection exceptions, out of resources, being stopped or started. */
const SQLSTATE = /^(08\w{3}|53\w{3}|57P0[1-3])$/

/** pg has no codes for what it finds by itself. */
const PG_MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed)/

/**
 * Whether an error says that the database could not be asked, or stopped answering: the same request may succeed later. Also
 * true for hookgate's EventStoreError around such an error. A statement that Postgres refuses is none.
 */
export function isUnreachable(error: unknown): boolean {
  const { name, code, message, syscall, cause } = Object(error)
  if (name === 'EventStoreError') return isUnreachable(cause)
  if (SOCKET_CODES.includes(code)) return SOCKET_CALLS.includes(syscall) || error instanceof AggregateError
  return SQLSTATE.test(String(code)) || PG_MESSAGE.test(String(message))
}
