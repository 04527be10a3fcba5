import { ListenerConfigError } from '../../src/errors.ts'
import { textOf } from '../../src/lib/member-of.ts'

/**
 * Turns what foreign code threw into an error that every framework answers with a failure. Frameworks take a falsy error for
 * none, and would run the handler. Express takes the text `route` for an order to skip the route. Koa answers with a `status`
 * of 200, and Fastify so if it cannot read one. Many write on an error, print it or send its `headers`, and end the process if
 * that fails. So anything but an ordinary error becomes a ListenerConfigError, with what was thrown as its `cause`, or with its texts
 * if it cannot be read.
 *
 * What a framework has put on `Error.prototype`, as Next.js does, is in no error's way: every other error of the process has it too.
 *
 * @example
 * ```ts
 * run().catch((thrown) => next(asError(thrown)))
 * ```
 */
export function asError(thrown: unknown): Error {
  if (!isObject(thrown)) return mistake('; `cause` has what it threw', thrown)
  if (!holds(() => isReadable(thrown)))
    return mistake(', not an object whose members cannot be read; `cause` has its texts', textsOf(thrown))
  return holds(() => isOrdinary(thrown))
    ? (thrown as Error) // or one of another realm
    : mistake(`${ORDINARY}; \`cause\` has what it threw`, thrown)
}

const ORDINARY = ' that is not frozen, without `headers`, and with a `status` of 400 to 599 if it has one'

function mistake(problem: string, cause: unknown): ListenerConfigError {
  return new ListenerConfigError('listener', `your code must throw an Error${problem}`, { cause })
}

/** A stand-in for what cannot be read as a whole. */
function textsOf(thrown: object): Error {
  const texts = new Error(textOf(thrown, 'message') ?? 'without a message')
  for (const member of ['name', 'stack', 'code']) {
    const value = textOf(thrown, member)
    if (value !== undefined)
      Object.defineProperty(texts, member, { value, configurable: true, writable: true })
  }
  return texts
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
  for (const member of [...READ, ...Reflect.ownKeys(thrown)]) ownOf(thrown, member)
  if (!['string', 'undefined'].includes(typeof ownOf(thrown, 'stack'))) return false
  if (!isText(thrown) || (ownOf(thrown, INSPECT) !== undefined && !isPrinted(thrown))) return false
  const cause = ownOf(thrown, 'cause')
  return depth === MOST_CAUSES || !isObject(cause) || isReadable(cause, depth + 1)
}

/** Whether it can be made a text. The `toString` of every error joins these two, and throws for a symbol. */
function isText(thrown: object): boolean {
  const joins = isShared(thrown, 'toString')
  const text = joins ? ['name', 'message'].map((each) => ownOf(thrown, each)).join('') : thrown.toString()
  return typeof text === 'string'
}

/** A member that not every object or error of its realm has. */
function ownOf(thrown: object, member: PropertyKey): unknown {
  return isShared(thrown, member) ? undefined : Reflect.get(thrown, member)
}

/** Whether a member comes from `Error.prototype` or `Object.prototype`, of any realm. */
function isShared(thrown: object, member: PropertyKey): boolean {
  let holder: object | null = thrown
  while (holder && !Object.hasOwn(holder, member)) holder = Reflect.getPrototypeOf(holder)
  if (!holder || holder === thrown) return false
  if (holder === Error.prototype || holder === Object.prototype) return true
  const maker: unknown = Reflect.getOwnPropertyDescriptor(holder, 'constructor')?.value
  return isNative(maker) && maker.prototype === holder && ['Error', 'Object'].includes(maker.name)
}

/** Whether a function is part of the language, and not of a program. */
function isNative(maker: unknown): maker is { readonly name: string; readonly prototype: unknown } {
  return (
    typeof maker === 'function' && /\{\s*\[native code\]\s*\}$/.test(Function.prototype.toString.call(maker))
  )
}

/** The part of `node:util` that is used. */
interface Util {
  inspect(value: unknown): unknown
  readonly types: { isNativeError(value: unknown): boolean }
}

declare const process: { getBuiltinModule?(name: string): Util | undefined } | undefined

const util = () => (typeof process === 'object' ? process.getBuiltinModule?.('node:util') : undefined)

/** Whether Node's console can print it, though it prints itself in a way of its own. */
const isPrinted = (thrown: object) => typeof util()?.inspect(thrown) === 'string'

/** Whether frameworks answer it with a failure, and with nothing that belongs to another response. */
function isOrdinary(thrown: object): boolean {
  const fits = isFailure(ownOf(thrown, 'status')) && isFailure(ownOf(thrown, 'statusCode'))
  return isError(thrown) && Object.isExtensible(thrown) && fits && ownOf(thrown, 'headers') === undefined
}

/** Or one of another realm, whose `Error` is another. */
function isError(thrown: object): boolean {
  const isOfThisRealm = thrown instanceof Error || Object.prototype.toString.call(thrown) === '[object Error]'
  return isOfThisRealm || util()?.types.isNativeError(thrown) === true
}

/** Whether no status, a word, or the status of a failure. */
function isFailure(status: unknown): boolean {
  if (status === undefined || status === null) return true
  const code = typeof status === 'string' || typeof status === 'number' ? Number(status) : 0
  return (code >= 400 && code <= 599) || (typeof status === 'string' && Number.isNaN(code))
}
