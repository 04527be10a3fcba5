import { isPromise, type MaybePromise } from './lib/maybe-promise.ts'
import type { Reason } from './reason.ts'
import type { Reply } from './reply.ts'
import { type Handshake, type Rejected, rejected } from './verdict.ts'
import type { Verification } from './verification.ts'

/** A refusal, or a reply to send instead. A check that passes returns undefined. */
type Result = { readonly reason: Reason; readonly detail: string } | { readonly reply: Reply }

/** A check answers one question about a delivery. */
export type Check = (verification: Verification) => MaybePromise<Result | undefined>

/** Every reason that these checks can refuse with. A check whose reason has no status does not compile. */
export type ReasonOf<Each extends (given: never) => MaybePromise<Result | undefined>> = Extract<
  Awaited<ReturnType<Each>>,
  { readonly reason: Reason }
>['reason']

/** Runs the checks in order, then calls `pass`. Synchronous as long as every check is. */
export function walkChecks<Passed>(
  checks: readonly Check[],
  verification: Verification,
  pass: (verification: Verification) => MaybePromise<Passed>,
  first = 0,
): MaybePromise<Passed | Rejected | Handshake> {
  for (let index = first; index < checks.length; index += 1) {
    const result = checks[index]?.(verification)
    if (isPromise(result)) {
      return result.then((late) =>
        late ? stopped(verification, late) : walkChecks(checks, verification, pass, index + 1),
      )
    }
    if (result) return stopped(verification, result)
  }
  return pass(verification)
}

function stopped({ listener }: Verification, result: Result): Rejected | Handshake {
  if ('reply' in result) return { ok: false, handshake: true, reply: result.reply }
  return rejected(result.reason, result.detail, listener.auth)
}
