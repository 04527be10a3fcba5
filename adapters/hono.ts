import type { Context, MiddlewareHandler } from 'hono'
import { ListenerConfigError } from '../src/errors.ts'
import type { WebhookEvent } from '../src/event.ts'
import type { Json } from '../src/lib/json.ts'
import { aFunction, checkedElsewhere, checkOptions, optional } from '../src/lib/options.ts'
import type { Listener } from '../src/listener.ts'
import { bodyTaken } from './shared/body.ts'
import { type NodeRequest, nodeHeader, readNodeBody } from './shared/read-node.ts'
import { readWebBody, webHeader } from './shared/read-web.ts'
import { type ListenerLookup, RECEIVER_OPTIONS, Receiver, type ReceiverOptions } from './shared/receiver.ts'
import { type NodeResponse, settle } from './shared/settle.ts'
import { behindProxies, type FindSource } from './shared/trusted-proxies.ts'

export type { ListenerLookup } from './shared/receiver.ts'

export interface VerifyWebhookOptions extends ReceiverOptions {
  /** Where the source address comes from: a header that your platform sets, or its `getConnInfo`. */
  readonly sourceIp?: ((context: Context) => string | undefined) | undefined
  /** Networks of the proxies in front, like `10.0.0.0/8`. On Node only: elsewhere nothing shows the socket's address. */
  readonly trustedProxies?: readonly string[] | undefined
}

/**
 * Lets verified deliveries through to the handler, with the event in `c.var.webhook`; answers all others itself.
 * The handler may still read the body with `c.req.json()` and its kin.
 *
 * What is wrong with the set-up is thrown, to `app.onError`: a ListenerConfigError that names the fix.
 *
 * @throws ListenerConfigError for options that are unknown or wrong, and for a listener with `allowedCidrs` when
 * neither `sourceIp` nor `trustedProxies` says where the address comes from.
 */
export function verifyWebhook<Payload = Json>(
  target: Listener<Payload> | ListenerLookup<Context, Payload>,
  options: VerifyWebhookOptions = {},
): MiddlewareHandler<{ Variables: { webhook: WebhookEvent<Payload> } }> {
  checkOptions('verifyWebhook', options, {
    ...RECEIVER_OPTIONS,
    sourceIp: optional(aFunction),
    trustedProxies: checkedElsewhere,
  })
  const receiver = new Receiver(target, options)
  const sourceIp = sourceFinder(options)
  if (typeof target !== 'function') requireSource(target, options)

  return async function verifyWebhook(c, next) {
    const { incoming, outgoing } = nodeOf(c)
    const outcome = await receiver.receive(c, {
      method: c.req.method,
      header: (name) => (incoming ? nodeHeader(incoming, name) : webHeader(c.req.raw.headers, name)),
      readBody: (limit, timeoutMs) => readBody(c, incoming, limit, timeoutMs),
      sourceIp: (listener) => {
        requireSource(listener, options)
        return sourceIp(c, incoming)
      },
    })
    if (outcome.reply) return new Response(outcome.reply.body, outcome.reply)
    const { event, listener } = outcome
    offerBody(c, event.rawBody)
    c.set('webhook', event)
    try {
      await next()
    } catch (error) {
      await settle(listener, event, 500)
      throw error
    }
    if (!outgoing?.destroyed) await settle(listener, event, c.finalized ? c.res.status : 500)
    return undefined
  }
}

/** The Node request and response below, where the Node server is what runs Hono: cheaper and more exact than copies. */
function nodeOf(c: Context): { readonly incoming?: NodeRequest; readonly outgoing?: NodeResponse } {
  const bindings: unknown = c.env
  return Array.isArray(Object(Object(bindings).incoming).rawHeaders) ? Object(bindings) : {}
}

async function readBody(c: Context, incoming: NodeRequest | undefined, limit: number, timeoutMs: number) {
  const { bodyCache } = c.req
  if (bodyCache.arrayBuffer) return new Uint8Array(await bodyCache.arrayBuffer)
  if (Object.keys(bodyCache).length > 0) throw bodyTaken()
  if (incoming) return readNodeBody(incoming, limit, timeoutMs)
  if (c.req.raw.bodyUsed) throw bodyTaken()
  return readWebBody(c.req.raw, limit, timeoutMs)
}

/** Puts the bytes where Hono keeps what it has read; copied only if a handler asks. */
function offerBody(c: Context, bytes: Uint8Array): void {
  Object.defineProperty(c.req.bodyCache, 'arrayBuffer', {
    enumerable: true,
    configurable: true,
    get: async () => bytes.slice().buffer,
  })
}

type SourceOf = (c: Context, incoming: NodeRequest | undefined) => string | undefined

function sourceFinder({ sourceIp, trustedProxies }: VerifyWebhookOptions): SourceOf {
  if (sourceIp && trustedProxies)
    throw new ListenerConfigError('sourceIp', 'give it or trustedProxies, not both')
  if (sourceIp) return sourceIp
  const find: FindSource = trustedProxies ? behindProxies(trustedProxies) : (peer) => peer
  return (_, incoming) =>
    find(incoming?.socket.remoteAddress, incoming && nodeHeader(incoming, 'x-forwarded-for'))
}

function requireSource(
  listener: Listener<unknown>,
  { sourceIp, trustedProxies }: VerifyWebhookOptions,
): void {
  if (!listener.isSourceAllowed || sourceIp || trustedProxies) return
  throw new ListenerConfigError(
    'sourceIp',
    'a listener with allowedCidrs needs it (or trustedProxies) to know the source',
  )
}
