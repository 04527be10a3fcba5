import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { constantTimeEqual as ofNode } from '../../src/crypto/node.ts'
import { constantTimeEqual as ofWeb } from '../../src/crypto/web.ts'
import fc from '../support/property.ts'
import { itOutsideWorkerd } from '../support/runtime.ts'

const text = fc.oneof(
  fc.string({ maxLength: 128 }),
  fc.string({ unit: 'binary', maxLength: 70 }),
  fc.stringMatching(/^[A-Za-z0-9_-]{43}$/),
  fc.constantFrom('', '\u0000', 'A', '\u0141', '\u0000'.repeat(43), '\ud800', '\udc00', '\ufffd'),
)

describe.each([
  ['node.ts', ofNode],
  ['web.ts', ofWeb],
])('constantTimeEqual of crypto/%s', (_, equal) => {
  it('the comparison agrees with === for any two texts of at most 128 characters', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        fc.pre(a.length <= 128 && b.length <= 128)
        expect(equal(a, b)).toBe(a === b)
        expect(equal(a, `${a}`)).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  it('the comparison sees one changed character, at every place', () => {
    const mac = 'gTNcywgKPCIGAsTnaUDoPcbGOIyrr0yplKbI8oLjS9k'
    for (let index = 0; index < mac.length; index += 1) {
      const code = mac.charCodeAt(index)
      for (const other of [code ^ 1, code ^ 128, code + 256]) {
        const changed = mac.slice(0, index) + String.fromCharCode(other) + mac.slice(index + 1)
        expect(equal(mac, changed)).toBe(false)
        expect(equal(changed, mac)).toBe(false)
      }
    }
  })

  it('the comparison is false for a prefix, an extension and an empty text', () => {
    expect(equal('abc', 'ab')).toBe(false)
    expect(equal('ab', 'abc')).toBe(false)
    expect(equal('ab', 'ab\u0000')).toBe(false)
    expect(equal('', 'a')).toBe(false)
    expect(equal('a', '')).toBe(false)
    expect(equal('', '')).toBe(true)
  })

  it('the comparison keeps nothing of earlier texts', () => {
    expect(equal('a'.repeat(128), 'b'.repeat(128))).toBe(false)
    expect(equal('c'.repeat(43), 'c'.repeat(43))).toBe(true)
    expect(equal('a'.repeat(128), 'a'.repeat(128))).toBe(true)
    expect(equal('c'.repeat(43), 'c'.repeat(42))).toBe(false)
  })

  it('the comparison refuses texts of more than 128 characters, even equal ones', () => {
    expect(equal('a'.repeat(128), 'a'.repeat(128))).toBe(true)
    expect(equal('a'.repeat(129), 'a'.repeat(129))).toBe(false)
    expect(equal(`${'a'.repeat(128)}b`, `${'a'.repeat(128)}c`)).toBe(false)
  })
})

it('both builds agree on any two texts', () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(ofNode(a, b)).toBe(ofWeb(a, b))
    }),
    { numRuns: 2000 },
  )
})

itOutsideWorkerd('it cannot read the sources')(
  'the Node build compares with timingSafeEqual, and the web build without an early exit',
  () => {
    const source = (name: string) => {
      const file = readFileSync(new URL(`../../src/crypto/${name}.ts`, import.meta.url), 'utf8')
      return file.slice(file.indexOf('export function constantTimeEqual'))
    }
    expect(source('node')).toContain('return nodeCrypto.timingSafeEqual(')
    const loop = /for \([^)]*\) \{(?<body>[^}]*)\}/.exec(source('web'))?.groups?.body
    expect(loop).toContain('|=')
    expect(loop).not.toMatch(/\b(?:return|break|if)\b|\?/)
  },
)
