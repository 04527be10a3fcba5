import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { isBytes } from '../../src/lib/bytes.ts'
import { isNativePromise } from '../../src/lib/maybe-promise.ts'

/** As zone.js replaces the promises of a page or a server. */
class ReplacedPromise {
  readonly [Symbol.toStringTag] = 'Promise'
  // biome-ignore lint/suspicious/noThenProperty: a promise has one
  then() {}
}

describe('what another realm or a framework has made', () => {
  it.each([
    ['bytes', new Uint8Array(1), true],
    ['a Buffer', Buffer.of(1), true],
    ['bytes of another realm', runInNewContext('new Uint8Array(1)'), true],
    ['wider elements', new Uint16Array(1), false],
    ['a view', new DataView(new ArrayBuffer(1)), false],
    ['an object that looks like bytes', { BYTES_PER_ELEMENT: 1, byteLength: 1 }, false],
    ['text', 'bytes', false],
    ['nothing', null, false],
  ])('%s is recognised as bytes, or not', (_, value, expected) => {
    expect(isBytes(value)).toBe(expected)
  })

  it.each([
    ['a promise', Promise.resolve(), true],
    ['a promise of another realm', runInNewContext('Promise.resolve()'), true],
    ['a promise of zone.js', new ReplacedPromise(), true],
    // biome-ignore lint/suspicious/noThenProperty: a thenable has one
    ['a thenable, whose work a second `then` would repeat', { then() {} }, false],
    ['nothing', null, false],
  ])('%s is recognised as a promise, or not', (_, value, expected) => {
    expect(isNativePromise(value)).toBe(expected)
  })
})
