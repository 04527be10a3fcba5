import type { WebhookEvent } from '../../src/event.ts'
import type { Listener } from '../../src/listener.ts'
import { GUARDS_MORE, type Incoming } from './incoming.ts'
import { type NodeRequest, nodeIncoming } from './read-node.ts'
import { otherFramework, trustsEveryProxy } from './set-up-errors.ts'
import type { NodeResponse } from './settle-after.ts'
import { behindProxies } from './trusted-proxies.ts'

/** Properties that Express and this adapter add to a Node request. */
export interface ExpressFields {
  readonly ip?: string | undefined
  readonly app?: { readonly settings?: { readonly 'trust proxy'?: unknown } }
  /** Undefined in middleware of `app.use`. */
  readonly route?: unknown
  webhook?: unknown
  body?: unknown
  _body?: boolean
}

type ExpressRequest = NodeRequest & ExpressFields

/** An Express request as an `Incoming`. */
export function expressIncoming(request: ExpressRequest, response: NodeResponse): Incoming {
  const incoming = nodeIncoming(request, response)
  if (incoming.method === 'POST' || request.app === undefined || request.route) return incoming
  return { ...incoming, where: GUARDS_MORE }
}

/** Finds the source address by `trustedProxies`, or by Express's `trust proxy` setting. */
export function sourceFinder(
  trustedProxies: readonly string[] | undefined,
): (request: ExpressRequest, listener: Listener<unknown>) => string | undefined {
  const findSource = behindProxies(trustedProxies)
  return (request, listener) => {
    // Read once: property access on Express requests is megamorphic.
    const { app } = request
    // A request from @fastify/middie. Fastify would later wait for a body that has been read.
    if (app === undefined && 'ips' in request) throw otherFramework()
    if (findSource) return findSource(request)
    const trusts = app?.settings?.['trust proxy']
    if (trusts === true && listener.isSourceAllowed) throw trustsEveryProxy('trust proxy')
    // With no trusted proxy, `ip` returns the same address, more slowly.
    return (trusts === false ? undefined : request.ip) ?? request.socket.remoteAddress
  }
}

/** Assigns one by one: on an Express request, `Object.assign` costs more than all the checks. */
export function attach(request: ExpressRequest, event: WebhookEvent<unknown>): void {
  request.webhook = event
  request.body = event.payload
  // Tells the body parsers of Express 4 that nothing is left to read. Those of Express 5 look at the stream.
  const { app } = request
  if (app === undefined || '_router' in app) request._body = true
}
