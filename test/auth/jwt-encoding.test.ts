import { describe, expect, it } from 'vitest'
import { ACCEPTED, invalid, jwtSender, type Sending } from '../support/jwt-listener.ts'
import { newKey } from '../support/keys.ts'

const { send } = jwtSender(newKey('ES256'))

describe('spellings of a segment', () => {
  const segments = ['header', 'payload', 'signature'] as const
  const inSegment = (position: number, change: (segment: string) => string): Sending => ({
    token: (compact) =>
      compact
        .split('.')
        .map((segment, index) => (index === position ? change(segment) : segment))
        .join('.'),
  })
  const changes: [string, (segment: string) => string][] = [
    ['a leading space', (segment) => ` ${segment}`],
    ['a trailing space', (segment) => `${segment} `],
    ['a space inside', (segment) => `${segment.slice(0, 4)} ${segment.slice(4)}`],
    ['a line feed inside', (segment) => `${segment.slice(0, 4)}\n${segment.slice(4)}`],
    ['a tab inside', (segment) => `${segment.slice(0, 4)}\t${segment.slice(4)}`],
    ['one =', (segment) => `${segment}=`],
    ['two =', (segment) => `${segment}==`],
    ['a +', (segment) => `+${segment.slice(1)}`],
    ['a /', (segment) => `/${segment.slice(1)}`],
    ['a ?', (segment) => `${segment.slice(0, 8)}?${segment.slice(9)}`],
    ['a percent escape', (segment) => `%65${segment.slice(1)}`],
    ['a character beyond ASCII', (segment) => `é${segment.slice(1)}`],
    ['an extra character', (segment) => `${segment}${'A'.repeat((5 - (segment.length % 4)) % 4 || 4)}`],
  ]

  describe.each(segments.map((name, position) => [name, position] as const))(
    'in the %s',
    (name, position) => {
      it.each(changes.slice(0, 5))('jwt() refuses a segment with %s', async (_, change) => {
        expect(await send(inSegment(position, change))).toMatchObject(
          invalid(new RegExp(`${name} is not base64url|scheme`)),
        )
      })

      it.each(changes.slice(5, 12))('jwt() refuses a segment in another spelling, %s', async (_, change) => {
        expect(await send(inSegment(position, change))).toMatchObject(
          invalid(new RegExp(`${name} is not base64url`)),
        )
      })

      it.each(changes.slice(12))('jwt() refuses a segment longer by %s', async (_, change) => {
        expect(await send(inSegment(position, change))).toMatchObject(invalid(/./))
      })

      it.each([
        [1, [1, 2, 4, 8]],
        [2, [1, 2]],
      ])(
        'jwt() refuses every bit that the last character does not need, %d bytes being over',
        async (over, bits) => {
          const lengthened: Sending = {
            headerText: (json) => pad(json, over),
            payloadText: (json) => pad(json, over),
          }
          expect(await send(lengthened)).toMatchObject(ACCEPTED)
          for (const bit of bits) {
            const change = inSegment(position, (segment) => setBit(segment, bit))
            expect(await send({ ...lengthened, ...change })).toMatchObject(
              invalid(new RegExp(`${name} is not base64url`)),
            )
          }
        },
      )
    },
  )
})

describe('texts that are not JSON in UTF-8', () => {
  const bytes = (hex: string) => (json: string) =>
    Buffer.concat([
      Buffer.from(json.slice(0, -1)),
      Buffer.from(',"x":"'),
      Buffer.from(hex, 'hex'),
      Buffer.from('"}'),
    ])

  it.each([
    ['header', 'headerText'],
    ['payload', 'payloadText'],
  ] as const)('jwt() refuses a %s that is not UTF-8', async (name, part) => {
    expect(await send({ [part]: bytes('c3a4') })).toMatchObject(ACCEPTED)
    for (const hex of ['ff', 'c0af', 'eda080', 'c3', 'f4908080']) {
      expect(await send({ [part]: bytes(hex) })).toMatchObject(
        invalid(`the token ${name} is not a JSON object`),
      )
    }
    const utf16 = (json: string) => Buffer.from(json, 'utf16le')
    expect(await send({ [part]: utf16 })).toMatchObject(invalid(`the token ${name} is not JSON`))
  })

  it.each([
    ['header', 'headerText'],
    ['payload', 'payloadText'],
  ] as const)('jwt() refuses a %s that begins with a byte order mark', async (name, part) => {
    const marked = (json: string) => `\ufeff${json}`
    expect(await send({ [part]: marked })).toMatchObject(invalid(`the token ${name} is not JSON`))
  })

  it.each(['null', '[]', '"text"', '1', 'true', '[{"alg":"ES256"}]'])(
    'jwt() refuses a header or payload that is %s',
    async (text) => {
      expect(await send({ headerText: () => text })).toMatchObject(
        invalid('the token header is not a JSON object'),
      )
      expect(await send({ payloadText: () => text })).toMatchObject(
        invalid('the token payload is not a JSON object'),
      )
    },
  )

  it.each(['{', '{}{}', "{'alg':1}", '{"a":1,}', '/**/{}', '{"a":NaN}', ''])(
    'jwt() refuses a header or payload that reads %j',
    async (text) => {
      expect(await send({ headerText: () => text })).toMatchObject(invalid(/^the token header is not/))
      expect(await send({ payloadText: () => text })).toMatchObject(invalid(/^the token payload is not/))
    },
  )

  it('jwt() refuses an empty payload object', async () => {
    expect(await send({ payloadText: () => '{}' })).toMatchObject(invalid(/^sub/))
  })
})

/** Adds white space until the length of the JSON is `over` more than a multiple of three. */
function pad(json: string, over: number): string {
  return json + ' '.repeat(((3 - (json.length % 3)) % 3) + over)
}

/** A lenient decoder reads the same bytes, because it drops the lowest bits of the last character. */
function setBit(segment: string, bit: number): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return segment.slice(0, -1) + alphabet.charAt(alphabet.indexOf(segment.slice(-1)) | bit)
}
