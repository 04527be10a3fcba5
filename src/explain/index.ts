/** The public surface of `hookgate/explain`. */
export { type CheckName, type CheckOutcome, checkOutcomes, type Outcome } from './check-outcomes.ts'
export type { WantedClaims } from './explain.ts'
export { type Explanation, explain, type Known } from './explain.ts'
