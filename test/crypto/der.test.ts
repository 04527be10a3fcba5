import { describe, expect, it } from 'vitest'
import { derNumber, derParts, readDer } from '../../src/crypto/der.ts'

const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))
const read = (hex: string) =>
  readDer(bytes(hex))?.map(({ tag, content }) => [tag, Buffer.from(content).toString('hex')])

describe('DER', () => {
  it('DER is a sequence of elements, possibly empty', () => {
    expect(read('')).toEqual([])
    expect(read('0201050500')).toEqual([
      [0x02, '05'],
      [0x05, ''],
    ])
  })

  it.each([
    ['127 bytes in one', '047f', 127],
    ['128 bytes in two', '048180', 128],
    ['256 bytes in three', '04820100', 256],
    ['65,536 bytes in four', '0483010000', 65_536],
  ])('a length is written of %s', (_, header, length) => {
    expect(read(header + '00'.repeat(length))).toEqual([[0x04, '00'.repeat(length)]])
  })

  it.each([
    ['a length that could be shorter', `04817f${'00'.repeat(127)}`],
    ['a length with a leading zero', `04820080${'00'.repeat(128)}`],
    ['an indefinite length', '30800000'],
    ['a length of four bytes', `048401000000${'00'.repeat(16)}`],
    ['a length that is cut off', '0482'],
    ['a length beyond the end', '0402ff'],
    ['a two-byte tag', '1f2000'],
    ['a tag alone', '02'],
    ['trailing bytes after the last element', '02010500'],
  ])('DER has no %s', (_, hex) => {
    expect(read(hex)).toBeUndefined()
  })

  it('the content of an element is returned with the requested tag, and of no other', () => {
    const [element] = readDer(bytes('3003020105')) ?? []
    expect(derParts(element, 0x30)).toHaveLength(1)
    expect(derParts(element, 0x31)).toEqual([])
    expect(derParts(undefined, 0x30)).toEqual([])
    expect(derParts(readDer(bytes('300102'))?.[0], 0x30)).toEqual([])
  })

  it.each([
    ['020100', '00'],
    ['02017f', '7f'],
    ['02020080', '80'],
    ['020200ff', 'ff'],
    ['02020100', '0100'],
  ])('%s is the number %s', (hex, number) => {
    expect(Buffer.from(derNumber(readDer(bytes(hex))?.[0]) ?? []).toString('hex')).toBe(number)
  })

  it.each([
    ['a negative number', '020180'],
    ['a number with an extra leading zero', '0202007f'],
    ['a number without digits', '0200'],
    ['another element', '030105'],
  ])('%s is not a number of a key', (_, hex) => {
    expect(derNumber(readDer(bytes(hex))?.[0])).toBeUndefined()
  })
})
