import { describe, expect, it } from 'vitest'
import { isA, memberOf, textOf } from '../../src/lib/member-of.ts'

describe('memberOf', () => {
  it.each([
    ['an object', { code: 'E' }, 'E'],
    ['an inherited member', Object.create({ code: 'E' }), 'E'],
    ['nothing', undefined, undefined],
    ['null', null, undefined],
    ['an object without it', {}, undefined],
  ])('memberOf reads %s', (_, holder: unknown, expected) => {
    expect(memberOf(holder, 'code')).toBe(expected)
  })

  it('memberOf reads a member of a text', () => {
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
  ])('memberOf gives undefined for %s', (_, holder: unknown) => {
    expect(memberOf(holder, 'code')).toBeUndefined()
  })
})

describe('textOf', () => {
  it('textOf reads text, and takes anything else for none', () => {
    const holder = { text: 'E', number: 42, object: {} }
    expect(['text', 'number', 'object', 'nothing'].map((name) => textOf(holder, name))).toEqual([
      'E',
      undefined,
      undefined,
      undefined,
    ])
  })
})

describe('isA', () => {
  it('isA tells instances from others', () => {
    expect([new TypeError(), new Error(), undefined, 'E'].map((each) => isA(each, TypeError))).toEqual([
      true,
      false,
      false,
      false,
    ])
  })

  it('isA takes a revoked proxy for no instance', () => {
    const { proxy, revoke } = Proxy.revocable(new TypeError(), {})
    expect(isA(proxy, TypeError)).toBe(true)
    revoke()
    expect(isA(proxy, TypeError)).toBe(false)
  })
})
