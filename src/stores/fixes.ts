import type { Fix } from '../fixes.ts'

const USER = "correct the client's user and password"
const GRANT = "grant it to the client's user"
const PRIMARY = 'connect to the primary, as a user who may write'
const DATABASE = 'or connect to the database that has it'

export const SQL_FIXES: readonly Fix[] = [
  [/\b28P01\b|\b28000\b|password authentication failed|Access denied for user/i, USER],
  [/\b3D000\b|Unknown database|database \S+ does not exist/, 'correct the name of the database'],
  [/\b42501\b|permission denied|command denied/i, GRANT],
  [/\b53300\b|too many (?:clients|connections)/i, "make the pools smaller, or raise the server's limit"],
  [
    /timeout exceeded when trying to connect|Queue limit reached|timeout acquiring a connection|P2024|No connections available/i,
    'raise the size of the pool, or release connections sooner',
  ],
  [/\b25006\b|read.?only/i, PRIMARY],
  [/\b42P01\b|relation \S+ does not exist|NO_SUCH_TABLE/, DATABASE],
]

export const SQLITE_FIXES: readonly Fix[] = [
  [/read.?only/i, PRIMARY],
  [/no such table/, DATABASE],
  [/SQLITE_BUSY|database is locked/, 'end what holds the lock on the file'],
]

export const REDIS_FIXES: readonly Fix[] = [
  [/WRONGPASS|NOAUTH/, USER],
  [/NOPERM/, GRANT],
  [/READONLY|read.?only/i, PRIMARY],
  [/\bOOM command/, 'raise maxmemory'],
]

export const DYNAMODB_FIXES: readonly Fix[] = [
  [/UnrecognizedClient|InvalidSignature/, USER],
  [/AccessDenied/, GRANT],
]
