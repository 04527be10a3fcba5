import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { open, seal } from '../../src/listeners/sealing.ts'

const key = randomBytes(32)

it('the seal opens its own ciphertext in the same place', () => {
  expect(open(key, seal(key, 'a secret', 'row 1'), 'row 1')).toBe('a secret')
})

it('the seal never seals a text to the same bytes twice', () => {
  expect(seal(key, 'a secret', 'row 1').equals(seal(key, 'a secret', 'row 1'))).toBe(false)
})

it('the seal refuses a ciphertext from another place, under another key, or with a flipped bit', () => {
  const sealed = seal(key, 'a secret', 'row 1')
  expect(() => open(key, sealed, 'row 2')).toThrow()
  expect(() => open(randomBytes(32), sealed, 'row 1')).toThrow()
  for (let index = 0; index < sealed.length; index += 1) {
    const changed = Buffer.from(sealed)
    changed.writeUInt8(changed.readUInt8(index) ^ 1, index)
    expect(() => open(key, changed, 'row 1')).toThrow()
  }
})

it.each([0, 12, 27])('the seal refuses a ciphertext of %d bytes', (length) => {
  expect(() => open(key, Buffer.alloc(length), 'row 1')).toThrow()
})

it.each([16, 31, 33])('the seal refuses a key of %d bytes', (length) => {
  expect(() => seal(randomBytes(length), 'a secret', 'row 1')).toThrow('Invalid key length')
})
