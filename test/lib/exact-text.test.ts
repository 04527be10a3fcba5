import { describe, expect, it } from 'vitest'
import { exactTextAt, textAt } from '../../src/lib/json.ts'
import fc from '../support/property.ts'

const at = (text: string, ...steps: string[]) => exactTextAt(Buffer.from(text), steps)

describe('a member as text, with all of its digits', () => {
  it('a string or a safe integer is what JSON.parse gives, in any text', () => {
    fc.assert(
      fc.property(fc.json(), fc.oneof(fc.string({ unit: 'binary' }), fc.maxSafeInteger()), (before, id) => {
        const text = `{"before":${before},"id":${JSON.stringify(id)}}`
        expect(at(text, 'id')).toBe(textAt(JSON.parse(text), ['id']))
      }),
    )
  })

  it('any integer keeps its digits, behind any text', () => {
    fc.assert(
      fc.property(fc.json(), fc.bigInt(), (before, id) => {
        expect(at(`{"before":${before},"id":${id}}`, 'id')).toBe(`${id}`)
      }),
    )
  })

  it.each([
    ['9007199254740991', '9007199254740991'],
    ['9007199254740992', '9007199254740992'],
    ['9007199254740993', '9007199254740993'],
    ['-1000000000000000001', '-1000000000000000001'],
    ['"1000000000000000001"', '1000000000000000001'],
    ['7', '7'],
    ['"a\\"1000000000000000001"', 'a"1000000000000000001'],
    ['1000000000000000001.5', undefined],
    ['1e400', undefined],
    ['null', undefined],
    ['[1000000000000000001]', undefined],
  ])('the text of %s is %j', (json, text) => {
    expect(at(`{"a":[{"id" : ${json}}]}`, 'a', '0', 'id')).toBe(text)
  })

  it('the member is the last of its name, and no string around it is read as a number', () => {
    const text = '{"x":"1000000000000000002","id":1,"1000000000000000003":"\\\\","id":1000000000000000001}'
    expect(at(text, 'id')).toBe('1000000000000000001')
    expect(at(text, 'x')).toBe(textAt(JSON.parse(text), ['x']))
    expect(at(text, '1000000000000000003')).toBe('\\')
  })

  it.each(['', '{', '\ufeff{"id":1}', `{"id":"${'a'.repeat(60_000)}`, '\udfff'])(
    'a text that is not JSON has no members',
    (text) => {
      expect(at(text, 'id')).toBeUndefined()
    },
  )

  it('a member behind a string of megabytes is found', () => {
    const long = JSON.stringify('a"'.repeat(4_000_000))
    expect(at(`{"long":${long},"id":1000000000000000001}`, 'id')).toBe('1000000000000000001')
  })
})
