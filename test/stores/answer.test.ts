import { describe, expect, it } from 'vitest'
import { EventStoreError } from '../../src/index.ts'
import { answerIn, POSTGRES, recordsIn } from '../../src/stores/answer.ts'

const read = (result: unknown) => answerIn(result, POSTGRES)

/** What a client returned in place of an answer, as the error says. */
function refusal(result: unknown, from: (result: unknown) => unknown = read): string {
  try {
    return `accepted ${JSON.stringify(from(result))}`
  } catch (error) {
    expect(error).toBeInstanceOf(EventStoreError)
    return String(error)
  }
}

describe('the answer of a database', () => {
  const text = 'a1:4:done'

  it.each<[string, unknown]>([
    ['rows of objects', [{ answer: text }]],
    ['an object with rows', { rows: [{ answer: text }], rowCount: 1 }],
    ['rows with another name', [{ ANSWER: text }]],
    ['rows of arrays', [[text]]],
    ['an object with rows of arrays', { rows: [[text]] }],
    ['rows and something about them', [[{ answer: text }], { rowCount: 1 }]],
    ['rows of arrays and something about them', [[[text]], []]],
    ['rows without a prototype', [Object.assign(Object.create(null), { answer: text })]],
  ])('is read from %s', (_, result) => {
    expect(read(result)).toBe('done')
  })

  it('may be empty, or hold any characters', () => {
    expect(read([{ answer: 'a1:0:' }])).toBe('')
    expect(read([{ answer: 'a1:3:é💶\n' }])).toBe('é💶\n')
    expect(read([{ answer: 'a1:7:é💶\n' }])).toBe('é💶\n') // in SQL_ASCII
  })

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'undefined, which has no rows'],
    ['null', null, 'null, which has no rows'],
    ['a text', text, 'String, which has no rows'],
    ['a number of rows', { rowCount: 1 }, 'Object, which has no rows'],
    ['no row', [], '0 rows'],
    ['no row, and something about that', [[], 0], '0 rows'],
    ['two rows', [{ answer: text }, { answer: text }], '2 rows'],
    ['an empty row', [{}], 'a row of 0 columns'],
    ['an empty array of rows of arrays', { rows: [[]] }, '0 rows'],
    ['a row that is null', [null], 'a row of 0 columns'],
    ['a row that is a text', [text], 'a row of 9 columns'],
    ['a row that is a letter', ['a'], 'a row of 1 columns'],
    ['two columns', [{ answer: text, more: text }], 'a row of 2 columns'],
    ['undefined', [{ answer: undefined }], 'undefined'],
    ['null', [{ answer: null }], 'null'],
    ['a Date', [{ answer: new Date(0) }], 'Date'],
    ['parsed JSON', [{ answer: { a: 1 } }], 'Object'],
    ['a bigint', [{ answer: 1n }], 'BigInt'],
    ['a number', [{ answer: 1 }], 'Number'],
    ['a boolean', [{ answer: true }], 'Boolean'],
    ['bytes', [{ answer: new TextEncoder().encode(text) }], 'Uint8Array'],
    ['the bare answer', [{ answer: 'done' }], 'another text'],
    ['an empty text', [{ answer: '' }], 'another text'],
    ['upper case', [{ answer: 'A1:4:DONE' }], 'another text'],
    ['another version', [{ answer: 'a2:4:done' }], 'another text'],
    ['a text with quotes', [{ answer: `"${text}"` }], 'another text'],
    ['a text with a space in front', [{ answer: ` ${text}` }], 'another text'],
    ['a text with a space at its end', [{ answer: `${text} ` }], 'a text of another length'],
    ['a trimmed text', [{ answer: 'a1:5:done' }], 'a text of another length'],
    ['a truncated text', [{ answer: 'a1:4:don' }], 'a text of another length'],
    ['a text cut in the middle of a character', [{ answer: 'a1:2:💶' }], 'a text of another length'],
  ])('is not %s', (_, result, what) => {
    expect(refusal(result)).toContain(`does not return what Postgres answered, but ${what}: `)
  })

  it('is not quoted if it is refused, but what may have changed it is named', () => {
    const error = refusal([{ answer: 'secret' }])
    expect(error).not.toContain('secret')
    for (const suspect of [
      'postgres.js',
      'pg (`types`)',
      'ParseJSONResultsPlugin',
      'CamelCasePlugin',
      'Knex',
    ])
      expect(error).toContain(suspect)
    expect(refusal([])).toMatch(/`postProcessResponse` of Knex.*QueryTypes\.SELECT.*first row/)
  })
})

describe('the records of a database', () => {
  const records = (result: unknown) => recordsIn(result, POSTGRES)
  const rows = (...texts: string[]) => texts.map((text) => ({ answer: `a1:${text.length}:${text}` }))

  it('records are read in any order, with their number', () => {
    expect(records(rows('0'))).toEqual([])
    expect(records(rows('2', '{"n":1}', '{"n":2}'))).toEqual([{ n: 1 }, { n: 2 }])
    expect(records({ rows: rows('{"n":1}', '1') })).toEqual([{ n: 1 }])
  })

  it.each([
    ['nothing', rows()],
    ['one record too few', rows('2', '{"n":1}')],
    ['one record too many', rows('1', '{"n":1}', '{"n":1}')],
    ['no number', rows('{"n":1}')],
    ['two numbers', rows('1', '1', '{"n":1}')],
    ['the first row alone', rows('1')],
    ['no JSON', rows('1', '{"secret":}')],
  ])('%s is refused, without a word of it', (_, result) => {
    expect(refusal(result, records)).toContain('does not return what Postgres answered')
    expect(refusal(result, records)).not.toContain('secret')
  })
})
