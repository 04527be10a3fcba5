import { describe, expect, it } from 'vitest'
import { verify } from '../../src/index.ts'
import { hmacListener } from '../support/hmac-listener.ts'
import { acceptedEvent, outcome } from '../support/outcome.ts'
import { itOutsideWorkerd } from '../support/runtime.ts'

async function fate(body: string | Uint8Array): Promise<string> {
  const { listener, deliver } = hmacListener()
  return outcome(await deliver({ body }), listener)
}

async function payloadOf(body: string | Uint8Array): Promise<unknown> {
  const { listener, deliver } = hmacListener()
  return (await acceptedEvent(await deliver({ body }), listener)).payload
}

describe('raw bytes', () => {
  it.each(['{"a":1.0}', '{"a":1e2}', '{"b":1,"a":2}', ' { "a" : 1 }\r\n', String.raw`"\u00e9"`, '"é"'])(
    'a listener accepts %j as signed, and gives the handler its exact bytes',
    async (body) => {
      const { listener, deliver } = hmacListener()
      const event = await acceptedEvent(await deliver({ body }), listener)
      expect(Buffer.from(event.rawBody).toString()).toBe(body)
    },
  )

  it('a listener refuses byte FF where the signature was made over its replacement character', async () => {
    const { listener, deliver } = hmacListener()
    const signed = await deliver({ body: '"\ufffd"' })
    expect(await outcome({ ...signed, body: Uint8Array.of(0x22, 0xff, 0x22) }, listener)).toBe(
      '400 body_not_json',
    )
  })

  it('a listener refuses a byte order mark put before a validly signed body', async () => {
    const { listener, deliver } = hmacListener()
    const signed = await deliver({ body: '{}' })
    const marked = Uint8Array.of(0xef, 0xbb, 0xbf, ...signed.body)
    expect(await outcome({ ...signed, body: marked }, listener)).toBe('400 body_not_json')
  })

  it('a listener refuses an empty body, and one of white space only', async () => {
    expect(await fate('')).toBe('400 body_not_json')
    expect(await fate(' \r\n\t')).toBe('400 body_not_json')
  })

  it('a listener refuses a signed byte order mark', async () => {
    expect(await fate('\ufeff{}')).toBe('400 body_not_json')
    expect(await fate(' \ufeff{}')).toBe('400 body_not_json')
  })
})

describe('values', () => {
  it.each(['5', '"x"', 'null', 'true', 'false', '[]', '{}', '0', '""'])(
    'a listener accepts %s at the top level',
    async (body) => {
      expect(await payloadOf(body)).toStrictEqual(JSON.parse(body))
    },
  )

  it('a listener accepts the escape of a lone surrogate', async () => {
    expect(await payloadOf(String.raw`"\ud800"`)).toBe('\ud800')
  })

  it('a listener reads numbers as doubles', async () => {
    expect(await payloadOf('[1e400,-1e400,12345678901234567890,1e-400]')).toStrictEqual([
      Infinity,
      -Infinity,
      12345678901234567000,
      0,
    ])
  })

  it('a listener accepts 32,768 nested arrays without walking them', async () => {
    expect(await fate('['.repeat(32_768) + ']'.repeat(32_768))).toBe('accepted')
  })

  it('a listener refuses 65,536 brackets that never close', async () => {
    expect(await fate('['.repeat(65_536))).toBe('400 body_not_json')
  })

  it('a listener passes __proto__ on as an ordinary member and changes no prototype', async () => {
    const body = '{"__proto__":{"x":1},"constructor":{"prototype":{"y":2}}}'
    const payload = await payloadOf(body)
    expect(Object.keys(Object(payload))).toStrictEqual(['__proto__', 'constructor'])
    expect(JSON.stringify(payload)).toBe(body)
    expect(Object.getPrototypeOf(payload)).toBe(Object.prototype)
    expect('x' in {} || 'y' in {}).toBe(false)
  })

  it('a listener takes the last of repeated members, and the signature covers both', async () => {
    const { listener, deliver } = hmacListener()
    const delivery = await deliver({ body: '{"a":1,"a":2}' })
    const other = { ...delivery, body: new TextEncoder().encode('{"a":3,"a":2}') }
    expect(await outcome(other, listener)).toBe('401 signature_mismatch')
    expect((await acceptedEvent(delivery, listener)).payload).toStrictEqual({ a: 2 })
  })

  itOutsideWorkerd('its clock stands still while code runs')(
    '8,000 numeric keys are read about as fast as 8,000 array items',
    async () => {
      const keys = `{${Array.from({ length: 8000 }, (_, index) => `"${index * 7}":1`).join()}}`
      const { listener, deliver } = hmacListener({ maxBodyBytes: 200_000 })
      const fastest = async (body: string) => {
        const times: number[] = []
        for (let round = 0; round < 9; round += 1) {
          const delivery = await deliver({ body })
          const start = performance.now()
          expect(await outcome(delivery, listener)).toBe('accepted')
          times.push(performance.now() - start)
        }
        return Math.min(...times)
      }
      const plain = await fastest(`[${Array(8000).fill('"1234"').join()}]`)
      // Both take a fraction of a millisecond. Colliding keys would take seconds if their cost were quadratic.
      expect(await fastest(keys)).toBeLessThan(100 * plain)
    },
  )

  it('a listener accepts NUL escapes, and one string that fills the body', async () => {
    expect(await payloadOf(String.raw`"a\u0000b"`)).toBe('a\u0000b')
    expect(await payloadOf(`"${'x'.repeat(65_534)}"`)).toHaveLength(65_534)
  })

  it.each([
    '[1,]',
    '{"a":1,}',
    '{} // no',
    '/* no */{}',
    'NaN',
    '[Infinity]',
    '-Infinity',
    "{'a':1}",
    '{a:1}',
    '\u000b{}',
    '\u00a0{}',
    '{}\u2028',
    '{}\u0000',
    '{}{}',
    '0x10',
    '01',
    '+1',
    '.5',
    '1.',
    '"\n"',
    'undefined',
    'True',
  ])('a listener refuses the body %j', async (body) => {
    expect(await fate(body)).toBe('400 body_not_json')
  })
})

describe('one body verified twice', () => {
  it('each verdict has a payload of its own', async () => {
    const { listener, deliver } = hmacListener()
    const delivery = await deliver({ body: '{"list":[1]}' })
    const event = await acceptedEvent(delivery, listener)
    Reflect.set(Object(event.payload), 'list', 'changed')
    await event.release()
    expect((await acceptedEvent(delivery, listener)).payload).toStrictEqual({ list: [1] })
  })
})

describe('the detail', () => {
  it.each([
    ['the body is not UTF-8', Uint8Array.of(0x22, 0xff, 0x22)],
    ['the body is empty', ''],
    ['the body is not JSON', '{'],
  ])('the detail says that %s', async (detail, body) => {
    const { listener, deliver } = hmacListener()
    expect(await verify(await deliver({ body }), listener)).toMatchObject({ reason: 'body_not_json', detail })
  })

  it('the detail says only that the body is not JSON, and quotes none of it', async () => {
    const { listener, deliver } = hmacListener()
    const verdict = await verify(await deliver({ body: '{"password":hunter2}' }), listener)
    expect(JSON.stringify(verdict)).not.toMatch(/hunter|password/)
  })
})
