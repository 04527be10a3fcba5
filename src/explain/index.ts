/** The public surface of `hookgate/explain`. */
export type { CheckName, CheckOutcome } from './check-outcomes.ts'
export { type Explanation, explain, type Known } from './explain.ts'
export type { WantedClaims } from './token-claims.ts'
