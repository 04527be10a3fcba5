import type { WebhookEvent } from '../../src/event.ts'
import type { Listener } from '../../src/listener.ts'
import type { NodeRequest } from './read-node.ts'
import { otherFramework, trustsEveryProxy } from './set-up-errors.ts'
import { behindProxies } from './trusted-proxies.ts'

/** What Express, and this, add to a Node request. */
export interface ExpressFields {
  readonly ip?: string | undefined
  readonly app?: { readonly settings?: { readonly 'trust proxy'?: unknown } }
  webhook?: unknown
  body?: unknown
  _body?: boolean
}

type ExpressRequest = NodeRequest & ExpressFields

/** Where a request comes from, by the given proxies, or by Express's own setting. */
export function sourceFinder(
  trustedProxies: readonly string[] | undefined,
): (request: ExpressRequest, listener: Listener<unknown>) => string | undefined {
  const findSource = behindProxies(trustedProxies)
  return (request, listener) => {
    // Once: on a request of Express each look costs.
    const { app } = request
    // So @fastify/middie hands requests over. Behind it Fastify would wait for a body that has been read.
    if (app === undefined && 'ips' in request) throw otherFramework()
    if (findSource) return findSource(request)
    const trusts = app?.settings?.['trust proxy']
    if (trusts === true && listener.isSourceAllowed) throw trustsEveryProxy('trust proxy')
    // Where no proxy is trusted `ip` would find the same, but not as soon.
    return (trusts === false ? undefined : request.ip) ?? request.socket.remoteAddress
  }
}

/** One by one: on a request of Express `Object.assign` costs more than all the checks. */
export function attach(request: ExpressRequest, event: WebhookEvent<unknown>): void {
  request.webhook = event
  request.body = event.payload
  // The mark by which parsers of Express 4 know that nothing is left to read. Those of 5 see it in the stream.
  const { app } = request
  if (app === undefined || '_router' in app) request._body = true
}
