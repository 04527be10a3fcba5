import { Environment } from '@marcbachmann/cel-js'
import { fromJson, toJson } from './json.ts'

/** What is wrong with an expression, or with the values it met. The message is for its author. */
export class CelError extends Error {
  override readonly name = 'CelError'
}

/** Longer expressions are not parsed. */
export const MAX_EXPRESSION_LENGTH = 2_000
/** Of what an expression gives, as JSON: some times what a body can hold. */
const MAX_RESULT_LENGTH = 1_000_000
const MAX_MESSAGE_LENGTH = 300

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
 * Evaluates an expression over `ctx`, however long it takes: only where nobody waits for anything else.
 *
 * @param ctx JSON, and so is the result.
 * @throws CelError
 */
export function evaluateHere(expression: string, ctx: string): string {
  return attempt(() => {
    const result = toJson(parse(expression)({ ctx: fromJson(JSON.parse(ctx)) }))
    const text = JSON.stringify(result)
    if (text.length <= MAX_RESULT_LENGTH) return text
    throw new CelError(`gives more than ${MAX_RESULT_LENGTH} characters`)
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
export function celError(cause: unknown): CelError {
  if (cause instanceof CelError) return cause
  const [line = ''] = cause instanceof Error ? cause.message.split('\n', 1) : []
  return new CelError(line.slice(0, MAX_MESSAGE_LENGTH) || 'cannot be evaluated', { cause })
}
