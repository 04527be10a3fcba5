import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import * as node from '../../src/crypto/node.ts'
import * as web from '../../src/crypto/web.ts'
import { sliceOf, wholeOf } from '../../src/crypto/written.ts'
import { escapedJson } from '../../src/schemes/kit/escaped-json.ts'
import fc from '../support/property.ts'

const encoder = new TextEncoder()

describe('a body as a JSON string has it', () => {
  it('is what JSON.stringify writes of its text, in slices of any length', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 9 }), (given, step) => {
        const text = `${given}\u0000\u0001\b\t\n\v\f\r\u001f "\\/\u007f\u0080é\u2028😀`
        const bytes = encoder.encode(text)
        const written = escapedJson(bytes)
        const slices: number[] = []
        for (let at = 0; at < bytes.length; at += step) {
          slices.push(...sliceOf(written, at, Math.min(at + step, bytes.length)))
        }
        const right = JSON.stringify(text).slice(1, -1)
        expect(Buffer.from(slices).toString()).toBe(right)
        expect(Buffer.from(wholeOf(written)).toString()).toBe(right)
      }),
    )
  })

  it('differs for bytes that are not UTF-8', () => {
    const all = Array.from({ length: 256 }, (_, code) => `${wholeOf(escapedJson(Uint8Array.of(code)))}`)
    expect(new Set(all).size).toBe(256)
  })

  it.each([0, 1, 43_689, 43_690, 43_691, 174_762, 174_763, 1_048_577])(
    'is signed alike at once, in turns of the event loop and by Web Crypto: %i bytes',
    async (length) => {
      const body = Buffer.alloc(length, 'a"\\\u0001\n')
      const right = createHmac('sha256', 'key')
        .update(`"${JSON.stringify(body.toString()).slice(1, -1)}é`, 'latin1')
        .digest('hex')
      for (const { hmacWith } of [node, web]) {
        const mac = hmacWith('sha256', encoder.encode('key'), 'hex')
        expect(await mac('"', escapedJson(body), 'é')).toBe(right)
      }
    },
  )
})
