/**
 * A refusal by a check or an authentication method.
 *
 * @see {@link Authenticator}
 */
export interface Failure<Reason extends string> {
  /** Why, as one stable word. */
  readonly reason: Reason
  /** For the operator. Short, and free of secrets, tokens, signatures and bodies. */
  readonly detail: string
}

export function fail<const Reason extends string>(reason: Reason, detail: string): Failure<Reason> {
  return { reason, detail }
}
