import { type ASTNode, Environment } from '@marcbachmann/cel-js'
import { RE2JS } from 're2js'
import { memberOf } from '../member-of.ts'
import { fromJson, toJson } from './json.ts'

/** An expression that is invalid or failed. The message is for its author. */
export class CelError extends Error {
  override readonly name = 'CelError'
}

/** The longest expression, in characters. */
export const MAX_EXPRESSION_LENGTH = 2_000
/** The longest result as JSON. Several times the largest body. */
const MAX_RESULT_LENGTH = 1_000_000
const MAX_MESSAGE_LENGTH = 300

/** CEL converts no number by itself, and a JSON number is a double even if it is whole. */
const MIXED_NUMBERS = /^no such overload: (?=.*\bdouble\b).*\bu?int\b/
const MIXED_NUMBERS_HINT = '. JSON numbers are doubles: write 1.0 instead of 1, or convert them with int()'

/** What `matches` is called instead. The engine's own one backtracks, and cannot be replaced under its name. */
const LINEAR_MATCHES = 'matches_re2'

/** Expressions see only the variable `ctx`, and no JavaScript. */
const environment = new Environment({
  homogeneousAggregateLiterals: false, // JSON is not
  limits: { maxAstNodes: 300, maxDepth: 32, maxListElements: 100, maxMapEntries: 100, maxCallArguments: 16 },
})
  .registerVariable('ctx', 'map')
  .registerFunction(`string.${LINEAR_MATCHES}(string): bool`, (text: string, pattern: string) =>
    RE2JS.compile(pattern).test(text),
  )

/**
 * Checks an expression over `ctx` before it is saved.
 *
 * @param type The required result type. A type that is known only at run time passes.
 * @throws CelError if the expression is too long, malformed or of another type.
 */
export function checkCel(expression: string, type: 'any' | 'bool' | 'string' | 'map' = 'any'): void {
  const { valid, error, type: given = 'dyn' } = attempt(() => parse(expression).check())
  if (!valid) throw celError(error)
  const fits = type === 'any' || given.startsWith('dyn') || given === type || given.startsWith(`${type}<`)
  if (!fits) throw new CelError(`must return a ${type}, but returns a ${given}`)
}

/**
 * Evaluates an expression over `ctx`. Blocks for as long as it takes, so call it only in a process of its own.
 *
 * @param ctx JSON. So is the result.
 * @throws CelError
 */
export function evaluateHere(expression: string, ctx: string): string {
  return attempt(() => {
    const result = toJson(parse(expression)({ ctx: fromJson(JSON.parse(ctx)) }))
    const text = JSON.stringify(result)
    if (text.length <= MAX_RESULT_LENGTH) return text
    throw new CelError(`returns more than ${MAX_RESULT_LENGTH} characters`)
  })
}

function parse(expression: string) {
  if (expression.length > MAX_EXPRESSION_LENGTH)
    throw new CelError(`has more than ${MAX_EXPRESSION_LENGTH} characters`)
  const parsed = environment.parse(expression)
  useLinearMatches(parsed.ast)
  return parsed
}

/** Renames the calls of `matches`, so that they take linear time: CEL's regular expressions are RE2's. */
function useLinearMatches(node: unknown): void {
  if (Array.isArray(node)) for (const each of node) useLinearMatches(each)
  if (!isNode(node)) return
  if (node.op === 'rcall' && node.args[0] === 'matches') node.args[0] = LINEAR_MATCHES
  useLinearMatches(node.args)
}

function isNode(value: unknown): value is ASTNode {
  return memberOf(value, 'op') !== undefined && memberOf(value, 'args') !== undefined
}

function attempt<Value>(work: () => Value): Value {
  try {
    return work()
  } catch (error) {
    throw celError(error)
  }
}

/** Keeps the first line. The rest of an engine message draws the position. */
export function celError(cause: unknown): CelError {
  if (cause instanceof CelError) return cause
  const [line = ''] = cause instanceof Error ? cause.message.split('\n', 1) : []
  const hint = MIXED_NUMBERS.test(line) ? MIXED_NUMBERS_HINT : ''
  return new CelError(line.slice(0, MAX_MESSAGE_LENGTH) + hint || 'cannot be evaluated', { cause })
}
