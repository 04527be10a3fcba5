import { describe, expect, it } from 'vitest'
import { ListenerConfigError } from '../../src/errors.ts'
import {
  aBoolean,
  aFunction,
  checkedElsewhere,
  checkOptions,
  type OptionCheck,
  optional,
  positiveInteger,
  positiveSeconds,
  timerSeconds,
  wellFormedText,
  withMethods,
} from '../../src/lib/options.ts'

function optionAtFault(call: () => unknown): string | undefined {
  try {
    call()
    return undefined
  } catch (error) {
    if (error instanceof ListenerConfigError) return error.option
    throw error
  }
}

const accepts = (check: OptionCheck, value: unknown) => optionAtFault(() => check(value, 'it')) === undefined

describe('one check each', () => {
  const everything: readonly unknown[] = [
    undefined,
    null,
    0,
    -1,
    1,
    0.5,
    NaN,
    Infinity,
    -Infinity,
    2 ** 53,
    '',
    '1',
    'a',
    '\ud800',
    true,
    false,
    [],
    {},
    1n,
    () => 1,
  ]

  it.each<[string, OptionCheck, readonly unknown[]]>([
    ['positiveSeconds', positiveSeconds, [1, 0.5]],
    ['timerSeconds', timerSeconds, [1, 0.5]],
    ['positiveInteger', positiveInteger, [1]],
    ['aBoolean', aBoolean, [true, false]],
    ['wellFormedText', wellFormedText, ['1', 'a']],
    ['optional positiveInteger', optional(positiveInteger), [undefined, 1]],
  ])('%s accepts these values, and names the option for all others', (_, check, good) => {
    expect(everything.filter((value) => accepts(check, value))).toStrictEqual(good)
  })

  it('a span is at most a century, and a timer at most 32 bits of milliseconds', () => {
    expect([3_155_760_000, 3_155_760_001].map((value) => accepts(positiveSeconds, value))).toStrictEqual([
      true,
      false,
    ])
    expect([2_147_483, 2_147_484].map((value) => accepts(timerSeconds, value))).toStrictEqual([true, false])
    expect(2_147_483_000).toBeLessThan(2 ** 31)
  })

  it('aFunction accepts functions and classes only', () => {
    expect([() => 1, Date, null, {}, 'f'].map((value) => accepts(aFunction, value))).toStrictEqual([
      true,
      true,
      false,
      false,
      false,
    ])
  })

  it('withMethods asks for every method, own or inherited', () => {
    const check = withMethods(['get', 'has'])
    expect(accepts(check, new Map())).toBe(true)
    expect(accepts(check, { get() {}, has() {} })).toBe(true)
    expect(accepts(withMethods(['now']), Date)).toBe(true)
    for (const value of [undefined, null, 1, 'get', {}, { get() {} }, { get() {}, has: true }]) {
      expect(accepts(check, value)).toBe(false)
    }
  })
})

describe('the message', () => {
  const complaint = (check: OptionCheck, value: unknown) => {
    try {
      check(value, 'it')
    } catch (error) {
      return String(Object(error).message)
    }
    return 'none'
  }

  it('the message tells missing, wrong and uncalled values apart', () => {
    const store = withMethods(['claim'])
    expect(complaint(store, undefined)).toBe('it: must have a method claim(); it is missing')
    expect(complaint(store, {})).toBe('it: must have a method claim()')
    expect(complaint(store, () => ({ claim() {} }))).toBe('it: must have a method claim()')
  })

  it.each([
    [undefined, 'it: must have a method claim(); it is missing: try memoryStore()'],
    ['redis://localhost', 'it: must have a method claim(): try memoryStore()'],
    [() => ({ claim() {} }), 'it: is a function; call it: memoryStore()'],
    [Promise.resolve({ claim() {} }), 'it: must have a method claim(); await it'],
  ])('the message says what would do in place of %s', (value, message) => {
    expect(complaint(withMethods(['claim'], 'memoryStore()'), value)).toBe(message)
  })

  it('the message tells a string from the number that it looks like', () => {
    expect(complaint(positiveSeconds, '300')).toMatch(/, not text$/)
    expect(complaint(positiveSeconds, -1)).toMatch(/, not -1$/)
    expect(complaint(positiveInteger, '5')).toMatch(/, not text$/)
  })
})

describe('checkOptions', () => {
  const table = { name: wellFormedText, size: optional(positiveInteger), rest: checkedElsewhere }

  it.each([undefined, null, 'whsec_x', 5])('%s in place of the options gets their names', (given) => {
    const words = 'make: takes an object of options: name, size, rest'
    expect(() => checkOptions('make', given as unknown as object, table)).toThrow(words)
  })

  it('checkOptions accepts everything that the table accepts', () => {
    expect(optionAtFault(() => checkOptions('make', { name: 'a' }, table))).toBeUndefined()
    expect(
      optionAtFault(() => checkOptions('make', { name: 'a', size: 1, rest: NaN }, table)),
    ).toBeUndefined()
  })

  it.each([
    ['name', {}],
    ['size', { name: 'a', size: 0 }],
    ['Name', { name: 'a', Name: 'a' }],
    ['toString', { name: 'a', toString: 'a' }],
    ['constructor', { name: 'a', constructor: 1 }],
    ['__proto__', JSON.parse('{"name":"a","__proto__":1}')],
    ['make', null],
    ['make', undefined],
    ['make', 'name'],
  ])('checkOptions names %s as the option at fault', (option, options) => {
    expect(optionAtFault(() => checkOptions('make', options as object, table))).toBe(option)
  })

  it('checkOptions names the option that was meant by a misspelt one, and lists all if none is near', () => {
    expect(() => checkOptions('make', { NAMES: 'a' }, table)).toThrow(
      'make has no such option; did you mean name?',
    )
    expect(() => checkOptions('make', { colour: 'a' }, table)).toThrow(
      'make has no such option; it has name, size, rest',
    )
  })
})
