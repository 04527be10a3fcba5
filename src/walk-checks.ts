import type { Attempt } from './checks/check.ts'
import { isPromise, type MaybePromise } from './lib/maybe-promise.ts'
import type { Reply } from './reply.ts'
import { type Handshake, type Reason, type Rejected, rejected } from './verdict.ts'

/** Why not, or what to answer instead. A check's "yes" is undefined. */
type Result = { readonly reason: Reason; readonly detail: string } | { readonly reply: Reply }

/** One question about a delivery. */
export type Check = (attempt: Attempt) => MaybePromise<Result | undefined>

/** Asks every check in order, then goes on with `pass`. With cryptography that answers at once, so does this. */
export function walkChecks<Passed>(
  checks: readonly Check[],
  attempt: Attempt,
  pass: (attempt: Attempt) => MaybePromise<Passed>,
  first = 0,
): MaybePromise<Passed | Rejected | Handshake> {
  for (let index = first; index < checks.length; index += 1) {
    const result = checks[index]?.(attempt)
    if (isPromise(result)) {
      return result.then((late) =>
        late ? stopped(attempt, late) : walkChecks(checks, attempt, pass, index + 1),
      )
    }
    if (result) return stopped(attempt, result)
  }
  return pass(attempt)
}

function stopped({ listener }: Attempt, result: Result): Rejected | Handshake {
  if ('reply' in result) return { ok: false, handshake: true, reply: result.reply }
  return rejected(result.reason, result.detail, listener.auth)
}
