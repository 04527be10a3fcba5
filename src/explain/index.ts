/** The public surface of `hookgate/explain`. */
export { type CheckName, type CheckOutcome, checkOutcomes, type LoggedVerdict } from './check-outcomes.ts'
export { type Explanation, explain, type Known, type WantedClaims } from './explain.ts'
