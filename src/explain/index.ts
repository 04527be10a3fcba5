/** The public surface of `hookgate/explain`. */

export type { CheckName, CheckOutcome, LoggedVerdict } from './check-outcomes.ts'
export { type ExplainOptions, type Explanation, explain, type WantedClaims } from './explain.ts'
export { explainLine, type LineOptions } from './explain-line.ts'
