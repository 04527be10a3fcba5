import { inspect } from 'node:util'
import { createContext, runInContext, runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { asError } from '../../adapters/kit/as-error.ts'
import { ListenerConfigError } from '../../src/index.ts'

const withMembers = (members: object) => Object.assign(new Error('of their own'), members)
const fail = () => {
  throw new Error('not to be called')
}

const INSPECT: unique symbol = Symbol.for('nodejs.util.inspect.custom')

const printing = (print: () => string) =>
  class Printed extends Error {
    [INSPECT]() {
      return print()
    }
  }

const withStatus = (find: () => number) =>
  class Asked extends Error {
    get status() {
      return find()
    }
  }

const circle = new Error('a circle')
circle.cause = circle

describe('an error that goes to a framework', () => {
  it.each([
    ['an Error', new Error('of their own')],
    ['an error of another realm', runInNewContext('new TypeError("of another realm")')],
    ['a DOMException', new DOMException('aborted', 'AbortError')],
    ['the lowest status of a failure', withMembers({ status: 400 })],
    ['the highest status of a failure', withMembers({ statusCode: 599 })],
    ['a word as status', withMembers({ status: 'INVALID_ARGUMENT' })],
    ['causes in a circle', circle],
    ['no stack', withMembers({ stack: undefined })],
  ])('a thrown value stays as it is: %s', (_, thrown) => {
    expect(asError(thrown)).toBe(thrown)
  })

  it.each([
    ['a text that Express obeys', 'route'],
    ['nothing', undefined],
    ['a plain object', { status: 500 }],
    ['a function', () => {}],
    ['a frozen error, which Koa writes on', Object.freeze(new Error())],
    ['the status of a success', withMembers({ status: 200 })],
    ['the status of a success as text', withMembers({ statusCode: '204' })],
    ['the last status below a failure', withMembers({ status: 399 })],
    ['the first status above', withMembers({ status: 600 })],
    ['a status that Fastify cannot read', withMembers({ status: Symbol('s') })],
    [
      'the headers of another response',
      withMembers({ status: 429, headers: { 'content-encoding': 'gzip' } }),
    ],
    ['null as headers, at which Fastify answers 200', withMembers({ statusCode: 502, headers: null })],
  ])('a thrown value is the cause of a ListenerConfigError if it has %s', (_, thrown) => {
    expect(asError(thrown)).toBeInstanceOf(ListenerConfigError)
    expect(asError(thrown)).toMatchObject({ code: 'ERR_LISTENER_CONFIG', cause: thrown })
  })

  it.each([
    ['no prototype', Object.create(null)],
    ['a stack that is no text', withMembers({ stack: Symbol('s') })],
    ['a message that is no text', withMembers({ message: Symbol('s') })],
    ['a text that throws', withMembers({ toString: fail })],
    ['a printed form that throws', withMembers({ [INSPECT]: fail })],
    ['a printed form of its class that throws', new (printing(fail))()],
    ['a status of its class that throws', new (withStatus(fail))()],
    ['a cause that cannot be read', new Error('', { cause: Object.create(null) })],
    ['a prototype that cannot be read', new Proxy(new Error(), { getPrototypeOf: fail })],
    ['members that cannot be listed', new Proxy(new Error(), { ownKeys: fail })],
    ['a function that cannot be printed', new Proxy(() => {}, { get: fail })],
  ])('a thrown value is a cause by its texts only if it has %s', (_, thrown) => {
    const error = asError(thrown)
    expect(error).toBeInstanceOf(ListenerConfigError)
    expect(error.cause).toBeInstanceOf(Error)
    expect(error.cause === thrown).toBe(false) // `toBe` would print it
    expect(inspect(error)).toContain('your code must throw an Error, not an object whose members')
  })

  it('the texts of what cannot be read are those of its message, its stack, its name and its code', () => {
    const thrown = Object.assign(new TypeError('the lookup failed'), { code: 'E_TENANT', toJSON: 1 })
    Object.defineProperty(thrown, 'response', { get: fail, enumerable: true })
    const { message, name, stack } = thrown
    expect(asError(thrown).cause).toMatchObject({ message, name, stack, code: 'E_TENANT' })
  })

  it('an error stays as it is whose class prints itself', () => {
    const thrown = new (printing(() => 'in its own way'))()
    expect(asError(thrown)).toBe(thrown)
  })
})

/** What frameworks put, or might put, on the prototype that all errors share. */
const PUT_THERE: { readonly [what: string]: PropertyDescriptorMap } = {
  'the symbol of the console, as Next.js does': { [INSPECT]: { value: () => 'in its own way' } },
  'a printed form that throws': { [INSPECT]: { value: fail } },
  'another symbol': { [Symbol('framework')]: { value: {} } },
  'another tag': { [Symbol.toStringTag]: { value: 'Traced' } },
  'a method': { toJSON: { value: () => ({}) } },
  'a text that throws': { toString: { value: fail } },
  'a getter': { headers: { get: () => ({}) } },
  'getters that throw': Object.fromEntries(
    ['status', 'statusCode', 'headers', 'expose', 'code', 'cause', 'toJSON'].map((name) => [
      name,
      { get: fail },
    ]),
  ),
  'the status of a success': { status: { value: 200 } },
}

describe.each(Object.entries(PUT_THERE))('an error whose prototype has got %s', (_, members) => {
  /** What becomes of errors while the members are there. */
  function judged(prototype: object, errors: readonly unknown[]): Error[] {
    const before = Object.getOwnPropertyDescriptors(prototype)
    for (const name of Reflect.ownKeys(members))
      Object.defineProperty(prototype, name, { ...Reflect.get(members, name), configurable: true })
    try {
      return errors.map((each) => asError(each))
    } finally {
      for (const name of Reflect.ownKeys(members)) Reflect.deleteProperty(prototype, name)
      Object.defineProperties(prototype, before)
    }
  }

  it.each([
    ['an Error', new Error('of their own')],
    ['a kind of Error', new RangeError('of their own')],
    ['an error of a class', new (class Failed extends Error {})('of their own')],
    [
      'one made as before classes',
      Object.create(Object.create(Error.prototype), { message: { value: 'old' } }),
    ],
    ['a DOMException', new DOMException('aborted', 'AbortError')],
    ['a setup mistake', new ListenerConfigError('body', 'was read')],
    ['one with a cause', new Error('outer', { cause: new TypeError('inner') })],
  ])('the error stays as it is: %s', (_, thrown) => {
    expect(judged(Error.prototype, [thrown])[0]).toBe(thrown)
  })

  it('the error stays as it is in another realm, such as the one of Jest', () => {
    const realm = createContext({})
    const errors = ['new Error("a")', 'new TypeError("b")', 'new (class Failed extends Error {})("c")'].map(
      (program): unknown => runInContext(program, realm),
    )
    const kept = judged(runInContext('Error.prototype', realm), errors)
    for (const [index, thrown] of errors.entries()) expect(kept[index]).toBe(thrown)
  })

  it('what is wrong with an error of its own still becomes a mistake, with its cause', () => {
    const [frozen, succeeded] = [Object.freeze(new Error('frozen')), withMembers({ status: 200 })]
    const [first, second] = judged(Error.prototype, [frozen, succeeded])
    expect(Object.getOwnPropertyDescriptor(first, 'cause')?.value).toBe(frozen)
    expect(Object.getOwnPropertyDescriptor(second, 'cause')?.value).toBe(succeeded)
  })
})
