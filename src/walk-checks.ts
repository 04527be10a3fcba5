import type { Attempt } from './checks/check.ts'
import { isPromise, type MaybePromise } from './lib/maybe-promise.ts'
import type { Reply } from './reply.ts'
import { type Handshake, type Reason, type Rejected, rejected } from './verdict.ts'

/** A refusal, or a reply to send instead. A check that passes returns undefined. */
type Result = { readonly reason: Reason; readonly detail: string } | { readonly reply: Reply }

/** A check answers one question about a delivery. */
export type Check = (attempt: Attempt) => MaybePromise<Result | undefined>

/** Runs the checks in order, then calls `pass`. Synchronous as long as every check is. */
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
