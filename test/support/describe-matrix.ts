import { describe, expect, it } from 'vitest'
import { type DifferenceName, isDifferent } from './differences.ts'
import {
  exchange,
  headerOf,
  type RawConnection,
  type RawReply,
  type RawRequest,
  toBytes,
} from './raw-http.ts'
import { type Endpoint, hmacEndpoint } from './sender.ts'
import { type RunningServer, type Setup, TARGETS } from './servers.ts'

/** The part of a reply that must be identical, byte for byte, on every framework. */
export interface Wire {
  readonly statusLine: string
  readonly contentType: string | undefined
  readonly body: string
  readonly retryAfter: string | undefined
  readonly wwwAuthenticate: string | undefined
  readonly connectionClose: boolean
  /** Those headers of OTHERS that are present. */
  readonly others?: { readonly [header: string]: string }
}

/** Additional headers of hookgate's replies. */
const OTHERS = ['allow', 'x-content-type-options', 'x-hook-secret']

export function wireOf(reply: RawReply | undefined): Wire {
  if (reply === undefined) throw new Error('the connection ended without a reply')
  return {
    statusLine: reply.statusLine,
    contentType: headerOf(reply, 'content-type'),
    body: reply.body,
    retryAfter: headerOf(reply, 'retry-after'),
    wwwAuthenticate: headerOf(reply, 'www-authenticate'),
    connectionClose: headerOf(reply, 'connection')?.toLowerCase() === 'close',
    others: Object.fromEntries(reply.headers.filter(([name]) => OTHERS.includes(name))),
  }
}

const NOTHING_ELSE = { retryAfter: undefined, wwwAuthenticate: undefined, connectionClose: false, others: {} }

/** The handler ran and answered this. */
export function answered(status: number, phrase: string): Wire {
  return {
    statusLine: `HTTP/1.1 ${status} ${phrase}`,
    contentType: 'application/json',
    body: JSON.stringify({ handler: status }),
    ...NOTHING_ELSE,
  }
}

export const ACCEPTED: Wire = answered(200, 'OK')

/** The handler, or the framework's error handler, answered 500. */
export const FAILED: Wire = answered(500, 'Internal Server Error')

const PHRASES = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  503: 'Service Unavailable',
}

/** The reply to a refused delivery, written out by hand. */
export function refused(status: keyof typeof PHRASES, code: string, extra: Partial<Wire> = {}): Wire {
  return {
    statusLine: `HTTP/1.1 ${status} ${PHRASES[status]}`,
    contentType: 'application/problem+json',
    body: `{"status":${status},"title":"${PHRASES[status]}","code":"${code}"}`,
    ...NOTHING_ELSE,
    ...extra,
  }
}

export const DUPLICATE: Wire = refused(409, 'event_duplicate')
/** With the default lease as Retry-After. */
export const IN_PROGRESS: Wire = refused(503, 'event_in_progress', { retryAfter: '60' })
export const closing = { connectionClose: true }
export const UNAUTHORIZED: Wire = refused(401, 'unauthorized')
export const UNAUTHORIZED_JWT: Wire = { ...UNAUTHORIZED, wwwAuthenticate: 'Bearer' }

/** A running server and its sender. */
export interface Client extends Endpoint, RunningServer {
  /** Sends bytes or a request on a new connection. Throws if there is no reply. */
  send(request: RawRequest | Uint8Array): Promise<Wire>
  /** Resolves when the connection is closed, by the server or else by this sender. */
  hungUp(connection: RawConnection): Promise<void>
}

export interface Row {
  readonly name: string
  /** Makes the listener, once per framework. Default: an HMAC listener. */
  readonly endpoint?: () => Endpoint | Promise<Endpoint>
  /** How to mount the endpoint, if it matters. */
  readonly setup?: (endpoint: Endpoint) => Partial<Setup>
  /** Returns the replies to compare. May make other expectations. */
  readonly send: (client: Client) => Promise<Wire | readonly Wire[]>
  readonly expected: Wire | readonly Wire[]
  /** The replies of targets with a listed difference. */
  readonly differs?: { readonly [Name in DifferenceName]?: Wire | readonly Wire[] | 'not sent' }
  /** How often an event is claimed. Default: once per run of the handler and per duplicate. */
  readonly claims?: number
  /** How often the handler runs. Default: once per 200 of the handler. */
  readonly handled?: number
}

/**
 * Makes one test per row. Every framework must give the expected replies, run its handler only for accepted deliveries,
 * and claim no event for refused ones.
 */
export function describeMatrix(name: string, rows: readonly Row[]): void {
  describe(name, () => {
    for (const row of rows) {
      it(row.name, async () => {
        const targets = Object.keys(TARGETS).filter((target) => differenceOn(target, row) !== 'not sent')
        const expected = targets.map((target) => [target, expectedOn(target, row)])
        expect(await onEach(row, targets)).toEqual(Object.fromEntries(expected))
      })
    }
  })
}

/** Runs a row on each framework. Names the results by framework, so that a failure shows the one that differs. */
async function onEach({ endpoint: create = hmacEndpoint, setup, send }: Row, targets: readonly string[]) {
  const started = Object.entries(TARGETS).filter(([framework]) => targets.includes(framework))
  const runs = started.map(async ([framework, start]) => {
    const endpoint = await create()
    const server = await start({
      target: endpoint.listener,
      listener: endpoint.listener,
      ...setup?.(endpoint),
    })
    const client = clientOf(framework, endpoint, server)
    try {
      const wires = [await send(client)].flat().map((wire) => comparable(framework, wire))
      const claims = endpoint.calls.entries.filter((call) => call.startsWith('claim')).length
      return [framework, { wires, handled: server.handled.length, claims }]
    } catch (error) {
      throw new Error(`on ${framework}`, { cause: error })
    }
  })
  return Object.fromEntries(await Promise.all(runs))
}

function clientOf(target: string, endpoint: Endpoint, server: RunningServer): Client {
  const send: Client['send'] = async (request) => {
    const bytes = request instanceof Uint8Array ? request : toBytes(request)
    const hasBody = request instanceof Uint8Array || request.method !== 'HEAD'
    return wireOf(await exchange(server.address, bytes, { hasBody }))
  }
  return {
    ...endpoint,
    ...server,
    send,
    hungUp: async (connection) => {
      if (!isDifferent(target, 'left open')) return connection.closed()
      connection.abort()
      // Gives the server time to act on the connection.
      await send(await endpoint.request({ method: 'GET' }))
    },
  }
}

function expectedOn(target: string, row: Row) {
  const found = differenceOn(target, row)
  const wires = [found === undefined || found === 'not sent' ? row.expected : found]
    .flat()
    .map((wire) => comparable(target, wire))
  const accepted = wires.filter(({ body }) => body === ACCEPTED.body).length
  const taken = wires.filter(({ body }) => [DUPLICATE.body, IN_PROGRESS.body].includes(body)).length
  const { handled = accepted, claims = handled + taken } = row
  return { wires, handled, claims }
}

/** Removes what the target's server adds by itself. */
function comparable(target: string, wire: Wire): Wire {
  return isDifferent(target, 'own Connection') ? { ...wire, connectionClose: false } : wire
}

function differenceOn(target: string, { differs = {} }: Row) {
  return Object.entries(differs).find(([name]) => isDifferent(target, name as DifferenceName))?.[1]
}
