/**
 * The public surface of `hookgate/adapter`: what the adapters of hookgate are made of, for a framework that has none.
 * A Node or web request goes in, an event or a reply comes out, and the event is settled by the response.
 */
export type { Beside } from './beside.ts'
export { besideNode, type EmittingRequest } from './beside-node.ts'
export { besideWeb, withKept } from './beside-web.ts'
export {
  GUARDS_MORE,
  type Incoming,
  type SourceFinder,
  withBody,
} from './incoming.ts'
export { createObserver, type Observer, type ObserverOptions } from './observer.ts'
export {
  type Checked,
  type Claimed,
  check,
  checkAndClaim,
  claim,
  type Examine,
  type Refusal,
  sendReply,
  toResponse,
} from './outcome.ts'
export { fromNode, type NodeRequest, type NodeResponse } from './read-node.ts'
export { fromWeb } from './read-web.ts'
export {
  createReceiver,
  type ListenerLookup,
  type OnOutcome,
  type Receiver,
  type ReceiverOptions,
  type ReceiverSetup,
} from './receiver.ts'
export { type StatusOf, settleAfter, settleBefore } from './settle.ts'
export { behindProxies, trustsEveryProxy } from './trusted-proxies.ts'
export { webhookOf } from './webhook-of.ts'
