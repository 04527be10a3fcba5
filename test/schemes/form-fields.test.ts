import { describe, expect, it } from 'vitest'
import { formFields } from '../../src/schemes/kit/form-fields.ts'
import { JSON_FORM_OR_TEXT, parseForm } from '../../src/schemes/kit/forms.ts'
import fc from '../support/property.ts'

const read = (form: string) =>
  formFields(Buffer.from(form))?.map(({ name, value }) => [name, Buffer.from(value).toString()] as const)

/** A second implementation, which decodes texts instead of bytes. */
function decodedByText(form: string) {
  const decode = (text: string) => decodeURIComponent(text.replaceAll('+', ' '))
  const fields = new Map<string, string | string[]>()
  try {
    for (const [name = '', ...value] of form
      .split('&')
      .filter(Boolean)
      .map((pair) => pair.split('='))) {
      const before = fields.get(decode(name))
      const text = decode(value.join('='))
      fields.set(decode(name), before === undefined ? text : [before, text].flat())
    }
    return Object.fromEntries(fields)
  } catch {
    return undefined
  }
}

describe('the fields of a form', () => {
  it('the fields are those of a parser of texts, for any form in UTF-8', () => {
    const piece = fc.constantFrom(
      'a',
      'b',
      '=',
      '&',
      '+',
      '%20',
      '%C3%A9',
      'é',
      '%e2%82%ac',
      '€',
      '%26',
      '%ff',
      '%',
      '__proto__',
    )
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const form = pieces.join('')
        expect(parseForm(Buffer.from(form))).toStrictEqual(decodedByText(form))
      }),
      { numRuns: 3000 },
    )
  })

  it('a form has at most 1,000 fields, and the gateway reads one with more as text', () => {
    const many = (count: number) => Buffer.from(`&&${'a=1&'.repeat(count)}`)
    expect(parseForm(many(1000))).toEqual({ a: Array(1000).fill('1') })
    expect(parseForm(many(1001))).toBeUndefined()
    expect(JSON_FORM_OR_TEXT.read(many(1001))).toBe(many(1001).toString())
  })

  it.each(['%', 'a=%', 'a=%4', 'a=%4g', 'a=%g4', '%ff=', 'a=1&%C3=2'])(
    'a form like %s has no fields',
    (form) => {
      expect(read(form)).toBeUndefined()
    },
  )

  it('the fields have names of at most 4 KB', () => {
    expect(read(`${'a'.repeat(4096)}=1`)).toHaveLength(1)
    expect(read(`${'a'.repeat(4097)}=1`)).toBeUndefined()
  })
})

it('a long text is told from a form in one pass', () => {
  const text = `${'='.repeat(5_000_000)} `
  expect(JSON_FORM_OR_TEXT.read(new TextEncoder().encode(text))).toBe(text)
})
