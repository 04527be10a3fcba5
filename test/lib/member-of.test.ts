import { describe, expect, it } from 'vitest'
import { memberOf } from '../../src/lib/member-of.ts'

describe('memberOf', () => {
  it.each([
    ['an object', { code: 'E' }, 'E'],
    ['an inherited member', Object.create({ code: 'E' }), 'E'],
    ['nothing', undefined, undefined],
    ['null', null, undefined],
    ['an object without it', {}, undefined],
  ])('reads %s', (_, holder: unknown, expected) => {
    expect(memberOf(holder, 'code')).toBe(expected)
  })

  it('reads a member of a text', () => {
    expect(memberOf('four', 'length')).toBe(4)
  })

  it.each([
    [
      'a getter that throws',
      {
        get code() {
          throw new Error('read me not')
        },
      },
    ],
    [
      'a proxy that throws',
      new Proxy(
        {},
        {
          get() {
            throw new Error('read me not')
          },
        },
      ),
    ],
  ])('gives undefined for %s', (_, holder: unknown) => {
    expect(memberOf(holder, 'code')).toBeUndefined()
  })
})
