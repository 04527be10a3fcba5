import http, { type IncomingHttpHeaders } from 'node:http'
import https from 'node:https'
import { TLSSocket } from 'node:tls'
import { isA, textOf } from '../../src/lib/member-of.ts'
import { exchange, type Outgoing, readStart } from '../../src/sender/exchange.ts'
import { type DeliveryFailure, failureOf, TimedOut } from '../../src/sender/failure.ts'
import { printable } from '../command-line/output.ts'

const MOST_BYTES = 65_536
const DAY_MS = 86_400_000

/** No guard against private addresses: the user chose the URL, which may be on this machine. */
const AGENTS = { http: new http.Agent({ keepAlive: false }), https: new https.Agent({ keepAlive: false }) }

interface AskOptions {
  readonly timeoutMs: number
  /** How much of the body to read. Defaults to 65,536. */
  readonly mostBytes?: number | undefined
  /** Whether the status counts even if the connection closes within the body. */
  readonly mayBreakOff?: boolean
  /** Defaults to a new connection for each request. */
  readonly agents?: typeof AGENTS
}

export interface Answer {
  readonly status: number
  readonly statusText: string
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  /** By this machine's clock, in milliseconds. The host wrote its answer between these two. */
  readonly sentAt: number
  readonly receivedAt: number
  /** Days until the host's certificate expires. */
  readonly certificateDays: number | undefined
}

/** Asks a host that the user named. Follows no redirect. Rejects with an error for `whyUnanswered`. */
export async function ask(url: URL, outgoing: Outgoing, options: AskOptions): Promise<Answer> {
  const { timeoutMs, mostBytes = MOST_BYTES, mayBreakOff = false, agents = AGENTS } = options
  const sentAt = Date.now()
  const response = await exchange(url, outgoing, agents, timeoutMs)
  const receivedAt = Date.now()
  const { statusCode: status = 0, statusMessage: statusText = '', headers, socket } = response
  const certificateDays = socket instanceof TLSSocket ? daysLeft(socket, receivedAt) : undefined
  const { bytes, brokenBy } = await readStart(response, mostBytes)
  if (brokenBy !== undefined && !mayBreakOff) throw brokenBy
  return { status, statusText, headers, bytes, sentAt, receivedAt, certificateDays }
}

function daysLeft(socket: TLSSocket, now: number): number | undefined {
  const days = Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - now) / DAY_MS)
  return Number.isNaN(days) ? undefined : days
}

type Problem = readonly [seen: string, fix: string]

const TRUST_IT = 'get one from a CA that senders trust, or set NODE_EXTRA_CA_CERTS to the file of its CA'
const UNKNOWN_CA: Problem = [
  'the certificate of HOST comes without its chain, or from an unknown CA',
  'serve the full chain, or set NODE_EXTRA_CA_CERTS to the file of its CA',
]
const CLOSED: Problem = ['HOST closed the connection before it answered', 'see the logs of the server']
const NO_NETWORK: Problem = ['no network leads to HOST', 'correct the address, or check your network']
const NO_TLS: Problem = ['HOST does not speak TLS there', 'write http://, or correct the port']

const PROBLEMS: { readonly [code: string]: Problem } = {
  ECONNREFUSED: ['nothing listens on HOST', 'start your app, or correct the host and the port'],
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  ENOTFOUND: ['there is no host HOST', 'correct the name, or add its DNS record'],
  EHOSTUNREACH: NO_NETWORK,
  ENETUNREACH: NO_NETWORK,
  EPROTO: NO_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  CERT_HAS_EXPIRED: ['the certificate of HOST has expired', 'renew it'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['the certificate of HOST is self-signed', TRUST_IT],
  SELF_SIGNED_CERT_IN_CHAIN: ['the certificate of HOST is from a private CA', TRUST_IT],
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_CA,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_CA,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_CA,
  ERR_TLS_CERT_ALTNAME_INVALID: ['the certificate of HOST is for another name', 'get one for this name'],
}

/** For all other codes. */
const PROBLEMS_BY_FAILURE: { readonly [Failure in DeliveryFailure]?: Problem } = {
  name_not_found: ['HOST cannot be looked up now', "check this machine's DNS, or try again"],
  certificate_refused: ['the certificate of HOST is refused', 'serve a valid one'],
  answer_not_http: ['the answer of HOST is not HTTP', 'correct the port'],
}
const UNREACHABLE: Problem = ['HOST cannot be reached', 'try it with curl --verbose']

/** Why a host gave no answer, and the fix. */
export function whyUnanswered(error: unknown, { host }: URL): Problem {
  if (isA(error, TimedOut)) {
    return [`${host} ${error.message}`, 'see its logs, or check firewalls between here and there']
  }
  const code = textOf(error, 'code') ?? 'unknown'
  const known = PROBLEMS[code]
  const [seen, fix] = known ?? PROBLEMS_BY_FAILURE[failureOf(error)] ?? UNREACHABLE
  return [`${seen.replace('HOST', () => host)}${known ? '' : ` (${printable(code)})`}`, fix]
}
