import { describe, expect, it } from 'vitest'
import { CelError, checkCel, evaluateCel, MAX_EXPRESSION_LENGTH } from '../../src/cel/evaluate.ts'
import { BusyError } from '../../src/turns.ts'

const trigger = JSON.parse(`{
  "name": "renewal", "count": 3, "my-field": [1, 2, 3], "nothing": null, "__proto__": { "own": true },
  "constructor": { "name": "Duration" }, "trap": "${'a'.repeat(60)}b"
}`)

/** Asks again on a machine that was too busy to answer. */
async function evaluate(text: string, ctx: object = { trigger }): ReturnType<typeof evaluateCel> {
  for (;;) {
    try {
      return await evaluateCel(text, JSON.stringify(ctx), crypto.randomUUID())
    } catch (error) {
      if (!(error instanceof BusyError)) throw error
    }
  }
}

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
  ])('an expression reads %s', async (text, value) => {
    expect(await evaluate(text)).toStrictEqual(value)
  })

  it('an expression reads the whole body with every member', async () => {
    expect(JSON.stringify(await evaluate('ctx.trigger'))).toBe(JSON.stringify(trigger))
  })

  it.each([null, 7, 'text', [1, [2]], true])('an expression reads a body that is %j', async (body) => {
    expect(await evaluate('ctx.trigger', { trigger: body })).toStrictEqual(body)
  })
})

describe('what an expression cannot reach', () => {
  it.each([
    'ctx.constructor',
    'ctx.trigger.name.constructor',
    'ctx.trigger.name.length',
    'ctx.trigger["my-field"].constructor',
    'ctx.trigger.toString',
    'ctx.trigger.__defineGetter__',
    'ctx.trigger.count.toFixed',
  ])('an expression cannot reach %s, which is no member', async (text) => {
    await expect(evaluate(text)).rejects.toThrow(/^No such key/)
  })

  it('an expression cannot reach inherited JavaScript members, only those in the body', async () => {
    const bare = { trigger: {} }
    await expect(evaluate('ctx.trigger.constructor', bare)).rejects.toThrow(CelError)
    await expect(evaluate('ctx.trigger.__proto__', bare)).rejects.toThrow(CelError)
    expect(await evaluate('has(ctx.trigger.toString)', bare)).toBe(false)
    expect(await evaluate('ctx.trigger.__proto__.own')).toBe(true)
  })

  it.each(['process', 'globalThis.process', 'require("fs")', 'ctx.trigger.eval("1")'])(
    'an expression cannot reach %s',
    async (text) => {
      await expect(evaluate(text)).rejects.toThrow(CelError)
    },
  )

  it('an expression cannot reach the original objects, because it returns copies', async () => {
    const body = { list: [1] }
    const given = await evaluate('ctx.trigger', { trigger: body })
    expect(given).toStrictEqual(body)
    expect(given).not.toBe(body)
  })
})

describe('numbers', () => {
  it('numbers are doubles in JSON, which compare with integers but need conversion for arithmetic', async () => {
    for (const mixed of ['ctx.trigger.count + 1', '2u * ctx.trigger.count'])
      await expect(evaluate(mixed)).rejects.toThrow('JSON numbers are doubles: write 1.0 instead of 1')
    await expect(evaluate('ctx.trigger.name + 1')).rejects.toThrow(/no such overload: [^.]*$/)
    expect(await evaluate('ctx.trigger.count + 1.0')).toBe(4)
    expect(await evaluate('int(ctx.trigger.count) + 1')).toBe(4)
    expect(await evaluate('ctx.trigger.count == 3')).toBe(true)
  })

  it('numbers become decimal strings above 2^53 - 1', async () => {
    expect(await evaluate('9007199254740991')).toBe(9007199254740991)
    expect(await evaluate('9007199254740992')).toBe('9007199254740992')
  })

  it('numbers beyond 2^53 are the nearest double', async () => {
    const trigger = '{"trigger": {"id": 9007199254740993, "text": "9007199254740993"}}'
    const read = (text: string) => evaluateCel(text, trigger, 'an owner')
    expect(await read('ctx.trigger.id')).toBe(9007199254740992)
    expect(await read('int(ctx.trigger.text) + 1')).toBe('9007199254740994')
  })

  it('numbers are refused in results that JSON cannot represent', async () => {
    for (const text of ['0.0 / 0.0', '1.0 / 0.0', 'type(1)']) {
      await expect(evaluate(text)).rejects.toThrow('returns a value that JSON cannot represent')
    }
  })
})

it('the other types have the JSON form of protobuf', async () => {
  expect(await evaluate('timestamp("2026-11-21T12:00:00Z")')).toBe('2026-11-21T12:00:00.000Z')
  expect(await evaluate('duration("1h")')).toBe('3600s')
  expect(await evaluate('b"hi"')).toBe('aGk=')
  expect(await evaluate('5u')).toBe(5)
  expect(await evaluate('{"a": {"b": [1u, "x", null]}, "c": 1.5}')).toStrictEqual({
    a: { b: [1, 'x', null] },
    c: 1.5,
  })
})

describe('limits', () => {
  it('an expression of more than 2,000 characters is refused', async () => {
    const text = `"${'a'.repeat(MAX_EXPRESSION_LENGTH - 2)}"`
    expect(() => checkCel(text)).not.toThrow()
    expect(() => checkCel(` ${text}`)).toThrow('2000 characters')
    await expect(evaluate(` ${text}`)).rejects.toThrow('2000 characters')
  })

  it('a deeply nested expression is refused', () => {
    expect(() => checkCel(`${'('.repeat(500)}1${')'.repeat(500)}`)).toThrow(CelError)
    expect(() => checkCel(`1${'+1'.repeat(400)}`)).toThrow(CelError)
  })

  it('nested loops over the body are stopped', async () => {
    const body = { trigger: { list: Array.from({ length: 20_000 }, (_, index) => index) } }
    const text = 'ctx.trigger.list.all(a, ctx.trigger.list.all(b, ctx.trigger.list.all(c, a + b + c >= 0.0)))'
    await expect(evaluate(text, body)).rejects.toThrow('was stopped')
    expect(await evaluate('ctx.trigger.list.size() == 20000', body)).toBe(true)
  })

  it('an expression that uses too much memory is stopped', async () => {
    const body = { trigger: { list: Array.from({ length: 20_000 }, () => 'x'.repeat(100)) } }
    const text = 'ctx.trigger.list.map(a, ctx.trigger.list.map(b, a + b))'
    await expect(evaluate(text, body)).rejects.toThrow('was stopped')
  })

  it('a string that would exhaust the thread’s memory is stopped, without losing the process', async () => {
    const body = { trigger: { names: Array.from({ length: 15_000 }, () => ''), sep: 'x'.repeat(30_000) } }
    const text = 'ctx.trigger.names.join(ctx.trigger.sep)'
    await expect(evaluate(text, body)).rejects.toThrow('took more than 64 MB and was stopped')
    expect(await evaluate(text, { trigger: { names: ['a', 'b'], sep: ', ' } })).toBe('a, b')
  })

  it('a result over 1,000,000 characters is refused', async () => {
    const body = { trigger: { list: Array.from({ length: 1_000 }, () => 'x'.repeat(60)) } }
    await expect(evaluate('[1, 2].map(a, ctx.trigger.list)', body)).resolves.toHaveLength(2)
    const text = `ctx.trigger.list.map(a, ctx.trigger.list[0])`
    await expect(evaluate(`[${'ctx.trigger.list,'.repeat(20)} 1]`, body)).rejects.toThrow(
      '1000000 characters',
    )
    await expect(evaluate(text, body)).resolves.toHaveLength(1_000)
  })

  it('a hostile expression does not block the event loop or other expressions', async () => {
    await Promise.all([evaluate('1'), evaluate('2')]) // starts both evaluators
    const order: string[] = []
    const list = `[${Array.from({ length: 20 }, (_, number) => number)}]`
    const loops = `${Array.from('abcdefg', (name) => `${list}.all(${name}, `).join('')}true${')'.repeat(7)}`
    const trap = evaluate(loops).catch(() => order.push('trap stopped'))
    const other = evaluate('1 + 1').then(() => order.push('other'))
    const timer = new Promise<void>((resolve) => setTimeout(resolve, 20)).then(() => order.push('timer'))
    await Promise.all([trap, other, timer])
    expect(order.at(-1)).toBe('trap stopped')
    expect(await Promise.all(Array.from({ length: 8 }, (_, n) => evaluate(`${n} + 1`)))).toStrictEqual([
      1, 2, 3, 4, 5, 6, 7, 8,
    ])
  })

  it('a body nested deeper than the stack is reported as a CelError', async () => {
    const depth = 30_000
    const body = '['.repeat(depth) + ']'.repeat(depth)
    await expect(evaluateCel('ctx.trigger', `{"trigger":${body}}`, 'an owner')).rejects.toThrow(CelError)
  })
})

describe('checkCel', () => {
  it.each(['', '1 +', 'ctx.trigger.', 'user.name', '1 + "a"', 'ctx.trigger.name.nope()'])(
    '%j is refused',
    (text) => {
      expect(() => checkCel(text)).toThrow(CelError)
    },
  )

  it('checkCel refuses a wrong type only if it is known without the body', () => {
    expect(() => checkCel('"yes"', 'bool')).toThrow('must return a bool, but returns a string')
    expect(() => checkCel('ctx.trigger.flag', 'bool')).not.toThrow()
    expect(() => checkCel('ctx.trigger.count > 2', 'bool')).not.toThrow()
    expect(() => checkCel('{"a": ctx.trigger.count}', 'map')).not.toThrow()
    expect(() => checkCel('[1]', 'map')).toThrow('must return a map')
  })

  it('checkCel keeps the error message short and on one line', () => {
    expect(() => checkCel(`ctx.trigger.${'x'.repeat(1500)}.y(`)).toThrow(/^.{1,300}$/)
  })
})

it('matches takes linear time, finds a part of the text, and refuses what RE2 lacks', async () => {
  const matches = (text: string, pattern: string) =>
    evaluateCel('ctx.text.matches(ctx.pattern)', JSON.stringify({ text, pattern }), 'linear')
  // A pattern that backtracks would exceed the limit of a second of CPU time.
  expect(await matches(`${'a'.repeat(60_000)}b`, '^(a+)+$')).toBe(false)
  expect(await matches('payroll-2026', '20[0-9]{2}')).toBe(true)
  expect(await evaluateCel(`["a", "b"].exists(each, each.matches("^(b+)+$"))`, '{}', 'linear')).toBe(true)
  await expect(matches('a', '(?=a)')).rejects.toThrow('(?=')
  await expect(matches('a', '(')).rejects.toThrow('missing closing )')
})
