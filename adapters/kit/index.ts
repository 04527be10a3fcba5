/**
 * The public surface of `hookgate/adapter`: what the adapters of hookgate are made of, for a framework that has none.
 * A Node or web request goes in, an event or a reply comes out, and the event is settled by the response.
 */
export type { BodyCopy } from '../observe/body-copy.ts'
export { type EmittingRequest, observedNode } from '../observe/observed-node.ts'
export type { ObservedRequest } from '../observe/observed-request.ts'
export { observedWeb, withKept } from '../observe/observed-web.ts'
export { createObserver, type Observer, type ObserverOptions } from '../observe/observer.ts'
export { asError } from './as-error.ts'
export type { WhenReturned } from './hung-up.ts'
export {
  GUARDS_MORE,
  type Incoming,
  type SourceFinder,
  withBody,
} from './incoming.ts'
export type { ListenerLookup } from './lookup.ts'
export {
  type Claimed,
  type Refusal,
  sendReply,
  toResponse,
} from './outcome.ts'
export { fromNode, type NodeRequest, type NodeResponse } from './read-node.ts'
export { fromWeb } from './read-web.ts'
export {
  type Checked,
  createReceiver,
  type Receiver,
  type ReceiverOptions,
  type ReceiverSetup,
} from './receiver.ts'
export {
  commitBefore,
  type HandlerEnd,
  type StatusOf,
  settleAfter,
  settleAtEnd,
  settleBefore,
} from './settle.ts'
export { behindProxies, believesStrangers, trustsEveryProxy } from './trusted-proxies.ts'
export { webhookOf } from './webhook-of.ts'
