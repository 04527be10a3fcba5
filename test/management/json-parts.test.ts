import { describe, expect, it } from 'vitest'
import { partAt, partsOf, respelt, textAt, valueAt } from '../../src/management/json-parts.ts'
import fc from '../support/property.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (json: Uint8Array | undefined) => new TextDecoder().decode(json)
const aJson = fc.json({ maxDepth: 4 })

describe('the parts of a JSON text', () => {
  it('the parts have the values that JSON.parse gives, whatever the white space', () => {
    fc.assert(
      fc.property(aJson, fc.constantFrom(undefined, 1, '\t', ' \r\n'), (json, space) => {
        const value: unknown = JSON.parse(json)
        const written = JSON.stringify(value, undefined, space as string)
        const expected = typeof value === 'object' && value !== null ? Object.entries(value) : []
        const parts = [...partsOf(bytes(written))].map(([name, part]) => [name, JSON.parse(text(part))])
        expect(Object.fromEntries(parts)).toEqual(Object.fromEntries(expected))
      }),
    )
  })

  it('a number keeps all of its digits, and a string loses its escapes', () => {
    const json = bytes(
      '{"id":3804004623172239366,"size":1.0,"name":"caf\\u00e9","not":null,"in":{"a/b":"x"}}',
    )
    expect(textAt(json, '/id')).toBe('3804004623172239366')
    expect(textAt(json, '/size')).toBe('1.0')
    expect(textAt(json, '/name')).toBe('café')
    expect(textAt(json, '/in/a~1b')).toBe('x')
    expect([textAt(json, '/not'), textAt(json, '/none'), textAt(json, '/in')]).toEqual(['', '', ''])
    expect(valueAt(json, '/in')).toEqual({ 'a/b': 'x' })
  })

  it('brackets, quotes and commas within strings are no structure, and the last of two members counts', () => {
    const json = bytes('{"a":"]},{\\"[:\\\\","b":[1,[2,"]"],{}],"a":2, "":[ ]}')
    expect([...partsOf(json)].map(([name]) => name)).toEqual(['a', 'b', 'a', ''])
    expect(text(partAt(json, '/a'))).toBe('2')
    expect(text(partAt(json, '/b/1/1'))).toBe('"]"')
    expect(text(partAt(json, '/'))).toBe('[ ]')
  })

  it('come one at a time, so that millions of them are never held', () => {
    const parts = partsOf(bytes('[1,2,3')) // the rest has not come
    expect([parts.next().value, parts.next().value]).toEqual([
      ['0', bytes('1')],
      ['1', bytes('2')],
    ])
  })

  it('members of prototypes are not there', () => {
    expect(textAt(bytes('{}'), '/constructor/name')).toBe('')
    expect(textAt(bytes('{"__proto__":{"id":"1"}}'), '/id')).toBe('')
  })
})

describe('JSON that is spelt again', () => {
  it('has the same value, and no white space between its values', () => {
    fc.assert(
      fc.property(aJson, (json) => {
        const value: unknown = JSON.parse(json)
        const shortest = (literal: string) => JSON.stringify(JSON.parse(literal))
        expect(respelt(bytes(JSON.stringify(value, undefined, 2)), shortest)).toBe(JSON.stringify(value))
      }),
    )
  })
})
