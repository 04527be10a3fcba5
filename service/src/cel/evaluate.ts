import { Environment } from '@marcbachmann/cel-js'
import { type CelValue, fromJson, toJson } from './json.ts'
import { withinMilliseconds } from './time-limit.ts'

/** What `ctx` is in an expression: JSON. `ctx.trigger` is the body of the webhook (specification 4.2, rule 4). */
export type CelContext = Readonly<Record<string, unknown>>

/** What is wrong with an expression, or with the values it met. The message is for its author. */
export class CelError extends Error {
  override readonly name = 'CelError'
}

/** Longer expressions are not parsed. */
export const MAX_EXPRESSION_LENGTH = 2_000
const MAX_MESSAGE_LENGTH = 300
/** Real expressions take microseconds; only a trap (a regular expression, loops in loops) takes this long. */
const MAX_EVALUATION_MS = 1_000

/** Expressions see one variable, `ctx`, and nothing of JavaScript. */
const environment = new Environment({
  homogeneousAggregateLiterals: false, // JSON is not
  limits: { maxAstNodes: 300, maxDepth: 32, maxListElements: 100, maxMapEntries: 100, maxCallArguments: 16 },
}).registerVariable('ctx', 'map')

/**
 * Refuses what is no expression over `ctx`, before it is saved.
 *
 * @param type What it has to give. What only the values can tell passes here.
 * @throws CelError for an expression that is too long, cannot be parsed, or whose types do not fit.
 */
export function checkCel(expression: string, type: 'any' | 'bool' | 'string' | 'map' = 'any'): void {
  const { valid, error, type: given = 'dyn' } = attempt(() => parse(expression).check())
  if (!valid) throw celError(error)
  const fits = type === 'any' || given.startsWith('dyn') || given === type || given.startsWith(`${type}<`)
  if (!fits) throw new CelError(`must give a ${type}, and gives a ${given}`)
}

/**
 * Evaluates an expression over `ctx`. It has no effect, and always ends. JSON numbers are doubles of CEL: add `1.0` to them,
 * or convert them, `int(ctx.trigger.count) + 1`; comparisons work across the types.
 *
 * @throws CelError also for a member that is missing (`has(ctx.trigger.name)` asks first), and after a second.
 */
export function evaluateCel(expression: string, ctx: CelContext): CelValue {
  return attempt(() => {
    const parsed = parse(expression)
    const variables = { ctx: fromJson(ctx) }
    return toJson(withinMilliseconds(MAX_EVALUATION_MS, () => parsed(variables)))
  })
}

function parse(expression: string) {
  if (expression.length <= MAX_EXPRESSION_LENGTH) return environment.parse(expression)
  throw new CelError(`has more than ${MAX_EXPRESSION_LENGTH} characters`)
}

function attempt<Value>(work: () => Value): Value {
  try {
    return work()
  } catch (error) {
    throw celError(error)
  }
}

/** The engine's messages go on with a drawing of where in the text it was. */
function celError(cause: unknown): CelError {
  if (cause instanceof CelError) return cause
  const [line = ''] = cause instanceof Error ? cause.message.split('\n', 1) : []
  return new CelError(line.slice(0, MAX_MESSAGE_LENGTH) || 'cannot be evaluated', { cause })
}
