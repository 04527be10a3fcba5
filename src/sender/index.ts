export { type Attempt, type DeliverOptions, deliver } from './deliver.ts'
export type { Endpoint, HmacEndpoint, JwtEndpoint, OutgoingEvent, SchemeEndpoint } from './endpoint.ts'
export type { DeliveryFailure } from './failure.ts'
export { type AnswerHeaders, type Judgement, judge, type Outcome } from './judge.ts'
export { jwks } from './jwks.ts'
export { type NextDelayOptions, nextDelay } from './next-delay.ts'
export { isPublicAddress } from './public-address.ts'
export {
  type Connect,
  type Connector,
  type ConnectorTarget,
  type PublicAgents,
  type PublicOnlyOptions,
  publicConnector,
  publicOnly,
} from './public-only.ts'
