import { Turns } from '../turns.ts'
import { Evaluator } from './evaluator.ts'
import type { CelValue } from './json.ts'

export { CelError, checkCel, MAX_EXPRESSION_LENGTH } from './engine.ts'

/**
 * The JSON of `ctx`. `ctx.trigger` is the unchanged body of the webhook, because `JSON.stringify` would turn `1e400`
 * into null.
 */
export type CelContext = string

/** How many expressions are evaluated at once. A slow one blocks only its own process. */
const EVALUATORS = 2

const evaluators = new Turns(Array.from({ length: EVALUATORS }, () => new Evaluator()))

/**
 * Evaluates an expression over `ctx` in another process, without side effects and within a time limit. JSON numbers are
 * CEL doubles: add `1.0`, or convert them as in `int(ctx.trigger.count) + 1`. Comparisons work across number types.
 *
 * @param owner The ID of the policy or automation that the expression belongs to. Owners take turns.
 * @throws CelError (as a rejection) if the expression fails, takes longer than a second or needs too much memory. A
 * missing member is a failure too: test it with `has(ctx.trigger.name)`.
 * @throws BusyError (as a rejection) if too many expressions of the owner are waiting, or no answer came in ten seconds.
 * @throws EvaluatorError (as a rejection) if two processes in a row could not evaluate it, e.g. because both were killed.
 */
export async function evaluateCel(expression: string, ctx: CelContext, owner: string): Promise<CelValue> {
  return evaluators.use(owner, async (evaluator) => JSON.parse(await evaluator.evaluate({ expression, ctx })))
}

export type Evaluate = typeof evaluateCel

/**
 * Caches results and errors. Evaluate before a transaction, so that a slow expression does not keep its locks. PGlite
 * has only one connection to block.
 */
export function rememberedCel(): Evaluate {
  const answers = new Map<string, Promise<CelValue>>()
  return async (expression, ctx, owner) => {
    const question = JSON.stringify([expression, ctx])
    const answer = answers.get(question) ?? evaluateCel(expression, ctx, owner)
    answers.set(question, answer)
    return answer
  }
}
