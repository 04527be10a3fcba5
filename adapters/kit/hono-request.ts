import type { Context } from 'hono'
import { counted } from './body.ts'
import { GUARDS_MORE, type Incoming } from './incoming.ts'
import { readableAgain } from './read-again.ts'
import { type NodeRequest, nodeIncoming } from './read-node.ts'
import { webIncoming } from './read-web.ts'
import type { NodeResponse } from './settle-after.ts'

/** A Hono request as an `Incoming`. */
export function honoIncoming(c: Context): Incoming {
  const { incoming, outgoing } = nodeOf(c)
  const request = incoming ? nodeIncoming(incoming, outgoing) : webIncoming(c.req?.raw)
  const readBody = keptBody(c) ?? handedOutBody(c, incoming)
  if (readBody === undefined && request.method === 'POST') return request
  // The helper in `hono/route` came with Hono 4.8, and the adapter imports only types.
  const where = c.req.routePath.endsWith('*') ? GUARDS_MORE : undefined
  return { ...request, readBody: readBody ?? request.readBody, where }
}

/** The underlying Node request and response, if Hono runs on Node. Cheaper and more exact than the web request. */
export function nodeOf(c: Context): { readonly incoming?: NodeRequest; readonly outgoing?: NodeResponse } {
  const bindings: unknown = c.env
  return Array.isArray(Object(Object(bindings).incoming).rawHeaders) ? Object(bindings) : {}
}

type ReadBody = Incoming['readBody']

/** The bytes that Hono cached for an earlier middleware, if any. */
function keptBody({ req }: Context): ReadBody | undefined {
  const { arrayBuffer } = req.bodyCache
  return (
    arrayBuffer &&
    (async (_limit, _timeoutMs, inFlight) => counted(new Uint8Array(await arrayBuffer), inFlight))
  )
}

/** Reads the web stream if a middleware has created it and left it unread, as `hono/body-limit` does. It drains Node's. */
function handedOutBody({ req }: Context, incoming: NodeRequest | undefined): ReadBody | undefined {
  const isHandedOut = incoming && incoming.readableFlowing !== null && !req.raw.bodyUsed
  return isHandedOut ? webIncoming(req.raw).readBody : undefined
}

/** Puts the bytes into Hono's body cache and back into the request. Copies them only on demand. */
export function offerBody(c: Context, bytes: Uint8Array): void {
  const kept: { arrayBuffer?: unknown } = c.req.bodyCache
  kept.arrayBuffer = new CopyOnDemand(bytes)
  readableAgain(c.req.raw, bytes, nodeOf(c).incoming)
}

/** A promise of a copy, made when first awaited. (A getter would cost each request 3 µs.) */
class CopyOnDemand extends Promise<ArrayBuffer> {
  static override readonly [Symbol.species] = Promise
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    super(() => {})
    this.#bytes = bytes
  }

  // biome-ignore lint/suspicious/noThenProperty: a promise has one
  override then<Done = ArrayBuffer, Failed = never>(
    onBytes?: ((bytes: ArrayBuffer) => Done | PromiseLike<Done>) | null,
    onError?: ((reason: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Done | Failed> {
    // Not slice(), which for a Buffer returns a view into its pool.
    return Promise.resolve(new Uint8Array(this.#bytes).buffer).then(onBytes, onError)
  }
}
