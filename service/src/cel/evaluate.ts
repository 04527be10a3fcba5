import { EvaluatorProcess } from './evaluator-process.ts'
import type { CelValue } from './json.ts'

export { CelError, checkCel, MAX_EXPRESSION_LENGTH } from './engine.ts'

/**
 * What `ctx` is in an expression, as JSON. `ctx.trigger` is the body of the webhook, unchanged:
 * a number like `1e400` is infinite to CEL, and `JSON.stringify` would write null.
 */
export type CelContext = string

/** How many expressions are evaluated at once: a trap holds up nobody but those behind all of them. */
const EVALUATORS = 2

const idle = Array.from({ length: EVALUATORS }, () => new EvaluatorProcess())
const waiting: ((evaluator: EvaluatorProcess) => void)[] = []

/**
 * Evaluates an expression over `ctx`, in a process of its own: this one goes on meanwhile. It has no effect, and always ends.
 * JSON numbers are doubles of CEL: add `1.0` to them, or convert them, `int(ctx.trigger.count) + 1`; comparisons work
 * across the types.
 *
 * @throws CelError (as a rejection) also for a member that is missing (`has(ctx.trigger.name)` asks first), after a
 * second, and for too much memory.
 */
export async function evaluateCel(expression: string, ctx: CelContext): Promise<CelValue> {
  const question = { expression, ctx }
  const evaluator = idle.pop() ?? (await new Promise<EvaluatorProcess>((resolve) => waiting.push(resolve)))
  try {
    return JSON.parse(await evaluator.evaluate(question))
  } finally {
    const next = waiting.shift()
    if (next) next(evaluator)
    else idle.push(evaluator)
  }
}

export type Evaluate = typeof evaluateCel

/**
 * Remembers the answers, and the refusals: what was asked before a transaction is known inside it, where an expression that
 * takes its time would hold up others; on PGlite, everybody.
 */
export function rememberedCel(): Evaluate {
  const answers = new Map<string, Promise<CelValue>>()
  return async (expression, ctx) => {
    const question = JSON.stringify([expression, ctx])
    const answer = answers.get(question) ?? evaluateCel(expression, ctx)
    answers.set(question, answer)
    return answer
  }
}
