import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { hmacListener, withHeaders } from '../support/hmac-listener.ts'
import { outcome } from '../support/outcome.ts'

const EVENT_ID = '7f1d3c5e-0a4b-4c8d-9e2f-112233445566'

/** The outcome of a delivery that is valid except for these headers. */
async function withThese(changed: Parameters<typeof withHeaders>[1]): Promise<string> {
  const { listener, deliver } = hmacListener()
  return outcome(withHeaders(await deliver(), changed), listener)
}

describe('the method', () => {
  it.each(['GET', 'PUT', 'HEAD', 'post', 'POST ', ''])(
    'a listener refuses %j, which is not POST',
    async (method) => {
      const { listener, deliver } = hmacListener()
      expect(await outcome({ ...(await deliver()), method }, listener)).toBe('400 method_not_post')
    },
  )

  it('a listener does not let X-HTTP-Method-Override turn PUT into POST', async () => {
    const { listener, deliver } = hmacListener()
    const delivery = withHeaders(await deliver(), { 'x-http-method-override': 'POST' })
    expect(await outcome({ ...delivery, method: 'PUT' }, listener)).toBe('400 method_not_post')
  })
})

describe('Content-Type', () => {
  it.each([undefined, '', []])('a listener refuses %j, which is no Content-Type', async (value) => {
    expect(await withThese({ 'content-type': value })).toBe('400 header_missing')
  })

  it.each([
    'text/plain',
    'text/json',
    'application/jsonx',
    'application/json+x',
    'xapplication/json',
    'application/json garbage',
    'application/json\ta',
    'application/json, text/plain',
    'application /json',
    'application/json;a',
    'application/json; =utf-8',
    'application/json; charset=utf-8 garbage',
    'application/json\u00a0',
    'application/json\n',
    '*/*',
  ])('a listener refuses the type %j', async (value) => {
    expect(await withThese({ 'content-type': value })).toBe('400 content_type_not_json')
  })

  it.each([
    ' application/json',
    'Application/JSON ; charset=UTF-8',
    'application/json;charset="utf-8"',
    'application/json; charset=utf-8; profile="a;charset=x"',
    'application/json; profile="a\\"b"',
    'application/json; xcharset="; charset=latin1"',
    'application/json; charset="utf\\-8"',
    'application/json; charset=utf8',
    'application/json;charset=UTF8',
    'application/json; charset="Utf8"',
    'application/json; charset=utf8; charset=utf-8',
    'application/json;',
    'application/json ; ',
    '\tAPPLICATION/JSON\t',
  ])('a listener accepts the type %j', async (value) => {
    expect(await withThese({ 'content-type': value })).toBe('accepted')
  })

  it('at most 256 characters of a Content-Type are read', async () => {
    const long = (length: number) => 'application/json;a='.padEnd(length, 'b')
    expect(await withThese({ 'content-type': long(256) })).toBe('accepted')
    expect(await withThese({ 'content-type': long(257) })).toBe('400 content_type_not_json')
  })

  it('a listener refuses two Content-Type headers, whatever they say', async () => {
    expect(await withThese({ 'content-type': ['application/json', 'text/plain'] })).toBe(
      '400 header_repeated',
    )
    expect(await withThese({ 'content-type': ['application/json', 'application/json'] })).toBe(
      '400 header_repeated',
    )
  })

  it.each([
    'application/json; charset=utf-16',
    'application/json;charset=utf-16',
    'application/json; \tcharset=utf-16',
    'application/json; charset="utf-16"',
    'application/json; charset=utf-8; charset=utf-16',
    'application/json; charset=utf-16; charset=utf-8',
    'application/json; CharSet=latin1',
    'application/json; charset="\\utf-16"',
    'application/json; xcharset=utf-8; charset=latin1',
    'application/json; charset=""',
    'application/json; charset=utf',
    'application/json; charset=utf88',
    'application/json; charset=utf--8',
    'application/json; charset=utf_8',
    'application/json; charset=xutf8',
    'application/json; charset=utf8; charset=utf-16',
    'application/json; charset=unicode-1-1-utf-8',
  ])('a listener refuses another charset: %j', async (value) => {
    expect(await withThese({ 'content-type': value })).toBe('400 content_type_not_json')
  })

  it.each([
    ['parameters', `application/json;${'a=b;'.repeat(3072)}`],
    ['spaces', `application/json;${' '.repeat(12_288)}x`],
    ['spaces between semicolons', `application/json${' ; '.repeat(80)}x`],
    ['quotes', `application/json;${'a="'.repeat(78)}`],
  ])('a listener decides a Content-Type that is long for its %s in linear time', async (_, value) => {
    const { listener, deliver } = hmacListener()
    const delivery = withHeaders(await deliver(), { 'content-type': value })
    // A quadratic pattern would take minutes, and so the test would hang.
    for (let round = 0; round < 1000; round += 1) {
      expect(await outcome(delivery, listener)).toBe('400 content_type_not_json')
    }
  })

  it('a listener refuses a form of 60,000 parameters by its type', async () => {
    const { listener, deliver } = hmacListener({ maxBodyBytes: 1_000_000 })
    const delivery = withHeaders(await deliver({ body: 'a=b&'.repeat(60_000) }), {
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect(await outcome(delivery, listener)).toBe('400 content_type_not_json')
  })
})

describe('Content-Encoding', () => {
  const refused = '400 content_encoding_not_identity'

  it('a listener refuses gzip, even signed over the compressed bytes', async () => {
    const { listener, deliver } = hmacListener()
    const delivery = await deliver({ body: gzipSync('{"a":1}') })
    expect(await outcome(withHeaders(delivery, { 'content-encoding': 'gzip' }), listener)).toBe(refused)
  })

  it('a listener refuses 48 KB that would inflate to 50 MB, and inflates nothing', async () => {
    const { listener, deliver } = hmacListener()
    const bomb = gzipSync(Buffer.alloc(50_000_000, ' '))
    expect(bomb.byteLength).toBeLessThan(65_536)
    const delivery = withHeaders(await deliver({ body: bomb }), { 'content-encoding': 'gzip' })
    expect(await outcome(delivery, listener)).toBe(refused)
    expect(delivery.body.byteLength).toBe(bomb.byteLength)
  })

  it('a listener refuses a chain of a thousand encodings', async () => {
    expect(await withThese({ 'content-encoding': Array(1000).fill('gzip').join(', ') })).toBe(refused)
  })

  it.each(['identity', 'IDENTITY', '', undefined])('a listener accepts the encoding %j', async (value) => {
    expect(await withThese({ 'content-encoding': value })).toBe('accepted')
  })

  it.each(['identity, gzip', 'identity,', 'x-identity', 'br', 'deflate', 'identity;q=1'])(
    'a listener refuses the encoding %j',
    async (value) => {
      expect(await withThese({ 'content-encoding': value })).toBe(refused)
    },
  )

  it('a listener refuses two Content-Encoding headers', async () => {
    expect(await withThese({ 'content-encoding': ['identity', 'identity'] })).toBe('400 header_repeated')
  })
})

describe('Webhook-Timestamp and Webhook-Event-Id', () => {
  it('a listener refuses two Webhook-Timestamp headers, even equal ones', async () => {
    expect(await withThese({ 'webhook-timestamp': ['1790000000', '1790000000'] })).toBe('400 header_repeated')
    expect(await withThese({ 'webhook-timestamp': ['1790000000', '1'] })).toBe('400 header_repeated')
  })

  it.each([undefined, '', []])('a listener refuses %j, which is no Webhook-Timestamp', async (value) => {
    expect(await withThese({ 'webhook-timestamp': value })).toBe('400 header_missing')
  })

  it('a listener refuses two Webhook-Event-Id headers, same or different', async () => {
    expect(await withThese({ 'webhook-event-id': [EVENT_ID, EVENT_ID] })).toBe('400 header_repeated')
    expect(await withThese({ 'webhook-event-id': [EVENT_ID, crypto.randomUUID()] })).toBe(
      '400 header_repeated',
    )
  })

  it.each([undefined, '', []])('a listener refuses %j, which is no Webhook-Event-Id', async (value) => {
    expect(await withThese({ 'webhook-event-id': value })).toBe('400 header_missing')
  })

  it('a listener reads a header that a host passes as an array of one', async () => {
    const { listener, deliver } = hmacListener()
    const delivery = await deliver({ eventId: EVENT_ID })
    const wrapped = (name: string) => [delivery.header(name) ?? []].flat()
    expect(await outcome({ ...delivery, header: wrapped }, listener)).toBe('accepted')
  })
})
