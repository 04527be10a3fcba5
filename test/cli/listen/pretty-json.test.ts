import { expect, test } from 'vitest'
import { prettyJson } from '../../../cli/listen/terminal.ts'
import fc from '../../support/property.ts'

test('JSON is indented, and its numbers and strings stay as written', () => {
  expect(prettyJson('{"a":1.0,"b":[12345678901234567890,"x\\u00e4\\"{},:" ],"c":{},"d":[ ]}')).toBe(
    [
      '{',
      '  "a": 1.0,',
      '  "b": [',
      '    12345678901234567890,',
      '    "x\\u00e4\\"{},:"',
      '  ],',
      '  "c": {},',
      '  "d": []',
      '}',
    ].join('\n'),
  )
})

test('any JSON keeps its meaning, and is formatted like JSON.stringify', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(prettyJson(JSON.stringify(value))).toBe(JSON.stringify(value, undefined, 2))
    }),
  )
})

test('a megabyte of unterminated string takes linear time, or this test hangs', () => {
  const text = `"${'\\"'.repeat(500_000)}`
  expect(prettyJson(text)).toContain('\\"')
})
