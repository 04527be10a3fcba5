/**
 * The public surface of `hookgate/adapter`, for a framework that has no adapter of hookgate. A Node or web request goes in, an event
 * or a reply comes out, and the event is settled by the response. docs/frameworks/other.md shows an adapter that is made of it.
 */

export { asError } from './as-error.ts'
export { withBody } from './incoming.ts'
export type { ListenerLookup } from './lookup.ts'
export { type Refusal, sendReply, toResponse } from './outcome.ts'
export { fromNode } from './read-node.ts'
export { fromWeb } from './read-web.ts'
export { createReceiver, type ReceiverOptions } from './receiver.ts'
export { commitBefore, settleAfter, settleBefore } from './settle.ts'
export { behindProxies } from './trusted-proxies.ts'
export { webhookOf } from './webhook-of.ts'
