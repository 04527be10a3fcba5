import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { asError } from '../../adapters/kit/as-error.ts'
import { ListenerConfigError } from '../../src/index.ts'

const withMembers = (members: object) => Object.assign(new Error('of their own'), members)
const fail = () => {
  throw new Error('not to be called')
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
    ['a printed form that throws', withMembers({ [Symbol.for('nodejs.util.inspect.custom')]: fail })],
    ['a cause that cannot be read', new Error('', { cause: Object.create(null) })],
    ['a prototype that cannot be read', new Proxy(new Error(), { getPrototypeOf: fail })],
    ['members that cannot be listed', new Proxy(new Error(), { ownKeys: fail })],
    ['a function that cannot be printed', new Proxy(() => {}, { get: fail })],
  ])('a thrown value is not even a cause if it has %s', (_, thrown) => {
    expect(asError(thrown)).toBeInstanceOf(ListenerConfigError)
    expect(asError(thrown)).not.toHaveProperty('cause')
  })
})
