import { Environment } from '@marcbachmann/cel-js'

/** Longer expressions are not parsed. */
export const MAX_EXPRESSION_LENGTH = 2_000

/** Expressions see one variable, `ctx`, and nothing of JavaScript. */
const environment = new Environment({
  limits: { maxAstNodes: 1_000, maxDepth: 40, maxListElements: 100, maxMapEntries: 100 },
}).registerVariable('ctx', 'map<string, dyn>')

/** An expression that cannot be parsed, or that failed on what it was given. The message is for its author. */
export class CelError extends Error {
  override readonly name = 'CelError'
}

/** @throws CelError for an expression that is too long, that cannot be parsed, or whose types do not fit. */
export function checkCel(expression: string): void {
  if (expression.length > MAX_EXPRESSION_LENGTH) {
    throw new CelError(`has more than ${MAX_EXPRESSION_LENGTH} characters`)
  }
  const { valid, error } = environment.check(expression)
  if (!valid) throw new CelError(error?.summary ?? 'is no CEL expression')
}

/**
 * Evaluates an expression over `ctx`. JSON numbers are doubles of CEL: `ctx.trigger.count + 1.0`, or
 * `int(ctx.trigger.count) + 1`; comparisons work across the types.
 *
 * @returns JSON: integers beyond 2^53 as decimal strings.
 * @throws CelError also for a member that is missing: `has(ctx.trigger.name)` asks first.
 */
export function evaluateCel(expression: string, ctx: Readonly<Record<string, unknown>>): unknown {
  checkCel(expression)
  try {
    return asJson(environment.evaluate(expression, { ctx }))
  } catch (error) {
    throw new CelError(error instanceof Error ? firstLine(error.message) : 'failed')
  }
}

function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? ''
}

function asJson(value: unknown): unknown {
  const text = JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? integer(member) : member))
  return text === undefined ? null : JSON.parse(text)
}

function integer(value: bigint): number | string {
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
}
