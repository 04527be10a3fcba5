import { expect, it } from 'vitest'
import { isUuidV4 } from '../../src/lib/uuid.ts'
import fc from '../support/property.ts'

it('the check accepts every version 4 UUID, in any letter case', () => {
  fc.assert(
    fc.property(fc.uuid({ version: 4 }), fc.func(fc.boolean()), (uuid, isUpper) => {
      const mixed = [...uuid]
        .map((letter, index) => (isUpper(index) ? letter.toUpperCase() : letter))
        .join('')
      expect([uuid, uuid.toUpperCase(), mixed].map(isUuidV4)).toStrictEqual([true, true, true])
    }),
  )
})

it('the check accepts the output of crypto.randomUUID()', () => {
  for (let round = 0; round < 1000; round += 1) expect(isUuidV4(crypto.randomUUID())).toBe(true)
})

it('the check refuses every other version', () => {
  const other = ([1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] as const).map((version) =>
    fc.uuid({ version }),
  )
  fc.assert(fc.property(fc.oneof(...other), (uuid) => !isUuidV4(uuid)))
})

it('the check refuses a UUID with any character replaced by one that is not hexadecimal', () => {
  const uuid = crypto.randomUUID()
  fc.assert(
    fc.property(fc.nat(35), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), (index, letter) => {
      fc.pre(!/[0-9a-f-]/i.test(letter))
      expect(isUuidV4(uuid.slice(0, index) + letter + uuid.slice(index + 1))).toBe(false)
    }),
  )
})
