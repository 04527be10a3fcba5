import { describe, expect, it } from 'vitest'
import { CelError, checkCel, evaluateCel, MAX_EXPRESSION_LENGTH } from '../../src/cel/evaluate.ts'

const trigger = JSON.parse(`{
  "name": "renewal", "count": 3, "my-field": [1, 2, 3], "nothing": null, "__proto__": { "own": true },
  "constructor": { "name": "Duration" }, "trap": "${'a'.repeat(60)}b"
}`)

const evaluate = (text: string, ctx: object = { trigger }) => evaluateCel(text, { ...ctx })

describe('what an expression reads', () => {
  it.each([
    ['ctx.trigger.name', 'renewal'],
    ['ctx.trigger["name"]', 'renewal'],
    ['ctx.trigger["my-field"][1]', 2],
    ['ctx.trigger["my-field"].exists(n, n == 3)', true],
    ['"name" in ctx.trigger', true],
    ['has(ctx.trigger.missing) ? "there" : "absent"', 'absent'],
    ['ctx.trigger.nothing', null],
    ['ctx.trigger.name.startsWith("ren")', true],
  ])('%s', (text, value) => {
    expect(evaluate(text)).toStrictEqual(value)
  })

  it('the whole body, member for member', () => {
    expect(JSON.stringify(evaluate('ctx.trigger'))).toBe(JSON.stringify(trigger))
  })

  it.each([null, 7, 'text', [1, [2]], true])('a body that is %j', (body) => {
    expect(evaluate('ctx.trigger', { trigger: body })).toStrictEqual(body)
  })
})

describe('what it cannot reach', () => {
  it.each([
    'ctx.constructor',
    'ctx.trigger.name.constructor',
    'ctx.trigger.name.length',
    'ctx.trigger["my-field"].constructor',
    'ctx.trigger.toString',
    'ctx.trigger.__defineGetter__',
    'ctx.trigger.count.toFixed',
  ])('%s is no member', (text) => {
    expect(() => evaluate(text)).toThrow(/^No such key/)
  })

  it('members that JavaScript has on every object are only there when the body has them', () => {
    const bare = { trigger: {} }
    expect(() => evaluate('ctx.trigger.constructor', bare)).toThrow(CelError)
    expect(() => evaluate('ctx.trigger.__proto__', bare)).toThrow(CelError)
    expect(evaluate('has(ctx.trigger.toString)', bare)).toBe(false)
    expect(evaluate('ctx.trigger.__proto__.own')).toBe(true)
  })

  it.each(['process', 'globalThis.process', 'require("fs")', 'ctx.trigger.eval("1")'])('%s', (text) => {
    expect(() => evaluate(text)).toThrow(CelError)
  })

  it('nothing: the values that it gives are new', () => {
    const body = { list: [1] }
    const given = evaluate('ctx.trigger', { trigger: body })
    expect(given).toStrictEqual(body)
    expect(given).not.toBe(body)
  })
})

describe('numbers', () => {
  it('JSON numbers are doubles: arithmetic with integers needs a conversion, comparison does not', () => {
    expect(() => evaluate('ctx.trigger.count + 1')).toThrow('no such overload')
    expect(evaluate('ctx.trigger.count + 1.0')).toBe(4)
    expect(evaluate('int(ctx.trigger.count) + 1')).toBe(4)
    expect(evaluate('ctx.trigger.count == 3')).toBe(true)
  })

  it('integers are numbers up to 2^53 - 1, and decimal strings from there on', () => {
    expect(evaluate('9007199254740991')).toBe(9007199254740991)
    expect(evaluate('9007199254740992')).toBe('9007199254740992')
  })

  it('what JSON has no word for is refused', () => {
    for (const text of ['0.0 / 0.0', '1.0 / 0.0', 'type(1)']) {
      expect(() => evaluate(text)).toThrow('JSON has no form of')
    }
  })
})

it('the other types have the JSON form of protobuf', () => {
  expect(evaluate('timestamp("2026-11-21T12:00:00Z")')).toBe('2026-11-21T12:00:00.000Z')
  expect(evaluate('duration("1h")')).toBe('3600s')
  expect(evaluate('b"hi"')).toBe('aGk=')
  expect(evaluate('5u')).toBe(5)
  expect(evaluate('{"a": {"b": [1u, "x", null]}, "c": 1.5}')).toStrictEqual({
    a: { b: [1, 'x', null] },
    c: 1.5,
  })
})

describe('limits', () => {
  it('an expression has 2,000 characters at most', () => {
    const text = `"${'a'.repeat(MAX_EXPRESSION_LENGTH - 2)}"`
    expect(() => checkCel(text)).not.toThrow()
    expect(() => checkCel(` ${text}`)).toThrow('2000 characters')
    expect(() => evaluate(` ${text}`)).toThrow('2000 characters')
  })

  it('nor may it be nested without end', () => {
    expect(() => checkCel(`${'('.repeat(500)}1${')'.repeat(500)}`)).toThrow(CelError)
    expect(() => checkCel(`1${'+1'.repeat(400)}`)).toThrow(CelError)
  })

  it('a regular expression that would run for years is stopped', () => {
    expect(() => evaluate('ctx.trigger.trap.matches("^(a+)+$")')).toThrow('was stopped')
  })

  it('so are loops in loops over the body', () => {
    const body = { trigger: { list: Array.from({ length: 20_000 }, (_, index) => index) } }
    const text = 'ctx.trigger.list.all(a, ctx.trigger.list.all(b, ctx.trigger.list.all(c, a + b + c >= 0.0)))'
    expect(() => evaluate(text, body)).toThrow('was stopped')
    expect(evaluate('ctx.trigger.list.size() == 20000', body)).toBe(true)
  })

  it('a body nested deeper than the stack is an error like any other', () => {
    const depth = 30_000
    const body = { trigger: JSON.parse('['.repeat(depth) + ']'.repeat(depth)) }
    expect(() => evaluate('ctx.trigger', body)).toThrow(CelError)
  })
})

describe('before it is saved', () => {
  it.each(['', '1 +', 'ctx.trigger.', 'user.name', '1 + "a"', 'ctx.trigger.name.nope()'])(
    '%j is refused',
    (text) => {
      expect(() => checkCel(text)).toThrow(CelError)
    },
  )

  it('a type that cannot fit is refused; what only the body can tell is not', () => {
    expect(() => checkCel('"yes"', 'bool')).toThrow('must give a bool, and gives a string')
    expect(() => checkCel('ctx.trigger.flag', 'bool')).not.toThrow()
    expect(() => checkCel('ctx.trigger.count > 2', 'bool')).not.toThrow()
    expect(() => checkCel('{"a": ctx.trigger.count}', 'map')).not.toThrow()
    expect(() => checkCel('[1]', 'map')).toThrow('must give a map')
  })

  it('the message is one line and bounded', () => {
    expect(() => checkCel(`ctx.trigger.${'x'.repeat(1500)}.y(`)).toThrow(/^.{1,300}$/)
  })
})
