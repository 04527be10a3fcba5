/** A check's refusal. A check that passes returns undefined. */
export interface Failure<Reason extends string> {
  readonly reason: Reason
  /** For the operator. Short, and free of secrets, tokens, signatures and bodies. */
  readonly detail: string
}

export function fail<const Reason extends string>(reason: Reason, detail: string): Failure<Reason> {
  return { reason, detail }
}
