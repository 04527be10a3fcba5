/** The public surface of `hookgate/explain`. */

export { type CheckName, type CheckOutcome, checkOutcomes, type LoggedVerdict } from './check-outcomes.ts'
export { type ExplainOptions, type Explanation, explain, type WantedClaims } from './explain.ts'
export { explainLine } from './explain-line.ts'
