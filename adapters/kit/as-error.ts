import { ListenerConfigError } from '../../src/errors.ts'

/**
 * Turns what foreign code threw into an error that every framework answers with a failure. Frameworks take a falsy error for
 * none, and would run the handler. Express takes the text `route` for an order to skip the route. Koa answers with a `status`
 * of 200, and Fastify so if it cannot read one. Many write on an error, print it or send its `headers`, and end the process if
 * that fails. So anything but an ordinary error becomes a ListenerConfigError.
 *
 * @example
 * ```ts
 * run().catch((thrown) => next(asError(thrown)))
 * ```
 */
export function asError(thrown: unknown): Error {
  if (!isObject(thrown)) return mistake('; `cause` has what it threw', { cause: thrown })
  if (!holds(() => isReadable(thrown))) return mistake(', not an object whose members cannot be read')
  return holds(() => isOrdinary(thrown))
    ? (thrown as Error) // or one of another realm
    : mistake(`${ORDINARY}; \`cause\` has what it threw`, { cause: thrown })
}

const ORDINARY = ' that is not frozen, without `headers`, and with a `status` of 400 to 599 if it has one'

function mistake(problem: string, options?: { readonly cause: unknown }): ListenerConfigError {
  return new ListenerConfigError('listener', `your code must throw an Error${problem}`, options)
}

/** False if it throws. */
function holds(question: () => boolean): boolean {
  try {
    return question()
  } catch {
    return false
  }
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}

/** The members that error handlers and loggers read. */
const READ = ['name', 'message', 'stack', 'code', 'status', 'statusCode', 'headers', 'expose', 'toJSON']

/** What Node's console calls to print an object. It may throw. */
const INSPECT: unique symbol = Symbol.for('nodejs.util.inspect.custom')

/** How many causes are looked at. They may be a circle. */
const MOST_CAUSES = 8

/** Whether it and its causes can be read and printed. Throws if not even looking is safe. */
function isReadable(thrown: object, depth = 0): boolean {
  for (const member of [...READ, ...Reflect.ownKeys(thrown)]) Reflect.get(thrown, member)
  Reflect.getPrototypeOf(thrown) // as `instanceof` does
  if (!['string', 'undefined'].includes(typeof Reflect.get(thrown, 'stack'))) return false
  if (typeof thrown.toString() !== 'string' || Reflect.get(thrown, INSPECT) !== undefined) return false
  const cause: unknown = Reflect.get(thrown, 'cause')
  return depth === MOST_CAUSES || !isObject(cause) || isReadable(cause, depth + 1)
}

/** Whether frameworks answer it with a failure, and with nothing that belongs to another response. */
function isOrdinary(thrown: object): boolean {
  const isError = thrown instanceof Error || Object.prototype.toString.call(thrown) === '[object Error]' // of another realm
  const member = (name: string): unknown => Reflect.get(thrown, name)
  const fits = isFailure(member('status')) && isFailure(member('statusCode'))
  return isError && Object.isExtensible(thrown) && fits && member('headers') === undefined
}

/** Whether no status, a word, or the status of a failure. */
function isFailure(status: unknown): boolean {
  if (status === undefined || status === null) return true
  const code = typeof status === 'string' || typeof status === 'number' ? Number(status) : 0
  return (code >= 400 && code <= 599) || (typeof status === 'string' && Number.isNaN(code))
}
