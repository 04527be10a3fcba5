import { expect, it } from 'vitest'
import { countMembers } from '../../src/lib/json.ts'
import fc from '../support/property.ts'

function hasRepeatedMembers(text: string): boolean {
  const value: unknown = JSON.parse(text)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject && countMembers(text) !== Object.keys(value).length
}

it.each([
  '{"a":1,"a":2}',
  '{"a":1,"b":2,"a":1}',
  String.raw`{"a":1,"\u0061":2}`,
  String.raw`{"\"":1,"\"":2}`,
  '{"a":{"b":1},"c":[{"b":2}],"a":null}',
  '{"__proto__":1,"__proto__":2}',
  '{"":1,"":2}',
  '{ "a" : 1 ,\n"a"\t:2 }',
  String.raw`{"a\\":1,"a\\":2}`,
])('finds the repetition in %s', (text) => {
  expect(hasRepeatedMembers(text)).toBe(true)
})

it.each([
  '{}',
  '[]',
  '"a"',
  'null',
  '1',
  '{"a":1,"A":2}',
  '{"a":{"a":{"a":1}}}',
  '[{"a":1},{"a":2}]',
  '{"a":[{"a":1},{"a":2}]}',
  '{"a":"a\\":1,\\"a","b":"{\\"b\\":1"}',
  String.raw`{"a":"\\","b":"\\"}`,
  '["a:b","a:b",":"]',
  '{"a":"}","b":"{","c":"]"}',
  String.raw`{"a\\":1,"a\"":2}`,
])('finds none in %s', (text) => {
  expect(JSON.parse(text)).not.toBeUndefined()
  expect(hasRepeatedMembers(text)).toBe(false)
})

it('finds none in the output of JSON.stringify, and one if a member is repeated', () => {
  const object = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue(), {
    minKeys: 1,
    noNullPrototype: true,
  })
  fc.assert(
    fc.property(object, fc.nat(), (value, index) => {
      const text = JSON.stringify(value)
      expect(hasRepeatedMembers(text)).toBe(false)
      const names = Object.keys(value)
      const again = JSON.stringify(names[index % names.length])
      expect(hasRepeatedMembers(`${text.slice(0, -1)},${again}:0}`)).toBe(true)
    }),
    { numRuns: 1000 },
  )
})

it('reads a string of 64 KB and 10,000 levels', () => {
  expect(hasRepeatedMembers(`{"a":"${'x'.repeat(65_536)}","b":0}`)).toBe(false)
  expect(hasRepeatedMembers(`{"a":"${'\\"'.repeat(32_768)}","a":0}`)).toBe(true)
  expect(hasRepeatedMembers(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`)).toBe(false)
})
