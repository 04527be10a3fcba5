import { describe, expect, it } from 'vitest'
import { parseForm } from '../../src/scheme/body.ts'
import { formFields } from '../../src/scheme/form-fields.ts'
import fc from '../support/property.ts'

const read = (form: string) =>
  formFields(Buffer.from(form))?.map(({ name, value }) => [name, Buffer.from(value).toString()] as const)

/** The same fields as the parser of authenticated forms, or undefined. */
function grouped(form: string) {
  const fields = new Map<string, string | string[]>()
  for (const [name, value] of read(form) ?? []) {
    const before = fields.get(name)
    fields.set(name, before === undefined ? value : [before, value].flat())
  }
  return Object.fromEntries(fields)
}

describe('the fields of a form', () => {
  it('are those of the parsed form, for any form in UTF-8', () => {
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
      '__proto__',
    )
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const form = pieces.join('')
        expect(grouped(form)).toStrictEqual(parseForm(form.replaceAll('+', ' ')))
      }),
      { numRuns: 3000 },
    )
  })

  it.each(['%', 'a=%', 'a=%4', 'a=%4g', 'a=%g4', '%ff=', 'a=1&%C3=2'])('are not those of %s', (form) => {
    expect(read(form)).toBeUndefined()
  })

  it('have names of at most 4 KB', () => {
    expect(read(`${'a'.repeat(4096)}=1`)).toHaveLength(1)
    expect(read(`${'a'.repeat(4097)}=1`)).toBeUndefined()
  })
})
