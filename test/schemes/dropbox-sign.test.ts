import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { dropboxSign } from '../../src/schemes/dropbox-sign.ts'
import { signAs } from '../../src/testing/index.ts'
import { schemeReceiver } from '../support/scheme-receiver.ts'

const SECRET = 'an API key'
const EVENT = { event_time: '1790000000', event_type: 'signature_request_signed' }
const HASH = createHmac('sha256', SECRET).update(`${EVENT.event_time}${EVENT.event_type}`).digest('hex')
const JSON_TEXT = JSON.stringify({ event: { ...EVENT, event_hash: HASH }, note: 'Grüße\r\n--a' })

const part = (head: string, text = JSON_TEXT) => `--a\r\n${head}\r\n\r\n${text}\r\n`
const NAMED = 'Content-Disposition: form-data; name="json"'

function send(body: string | Uint8Array, contentType = 'multipart/form-data; boundary=a') {
  const { receive } = schemeReceiver(dropboxSign({ secrets: SECRET }))
  return receive({ headers: { 'content-type': contentType }, body })
}

describe('an event of Dropbox Sign', () => {
  it('an event is JSON in a form, with two signed values', async () => {
    const verdict = await send(`${part(NAMED)}--a--\r\n`)
    const auth = { scheme: 'dropbox-sign', covers: 'values' }
    const sentAt = new Date(1_790_000_000_000)
    const event = { auth, type: EVENT.event_type, sentAt, unsigned: [], payload: JSON.parse(JSON_TEXT) }
    expect(verdict).toMatchObject({ ok: true, event })
  })

  it('an event runs each time: another event of that second has the same signature', async () => {
    const { receive } = schemeReceiver(dropboxSign({ secrets: SECRET }))
    const headers = { 'content-type': 'multipart/form-data; boundary=a' }
    for (let count = 0; count < 2; count += 1) {
      const verdict = await receive({ headers, body: `${part(NAMED)}--a--\r\n` })
      expect(verdict).toMatchObject({ ok: true })
      if (verdict.ok) await verdict.event.commit()
    }
  })

  it.each([
    ['among other fields', `${part('Content-Disposition: form-data; name="a"', 'b')}${part(NAMED)}--a--`],
    ['with a content type', `${part(`Content-Type: application/json\r\n${NAMED}`)}--a--\r\n`],
    ['with header names in small letters', `${part(NAMED.toLowerCase())}--a--\r\n`],
    ['with an epilogue', `${part(NAMED)}--a--\r\nthe end`],
  ])('an event may be %s', async (_, body) => {
    expect(await send(body)).toMatchObject({ ok: true })
  })

  it.each([
    ['a form that does not end', part(NAMED)],
    [
      'a form of two fields that does not end',
      `${part(NAMED)}${part('Content-Disposition: form-data; name="a"')}`,
    ],
    ['the field twice', `${part(NAMED)}${part(NAMED)}--a--\r\n`],
    ['a field of another name', `${part(NAMED.replace('json', 'xjson'))}--a--\r\n`],
    ['a field without a name', `${part('Content-Disposition: form-data')}--a--\r\n`],
    ['a field without headers', `--a\r\n${JSON_TEXT}\r\n--a--\r\n`],
    ['a delimiter without hyphens', `${part(NAMED)}--a--\r\n`.replaceAll('--a', 'aa')],
    ['bare line feeds', `${part(NAMED)}--a--\r\n`.replaceAll('\r\n', '\n')],
    ['JSON instead of a form', JSON_TEXT],
    ['an empty body', ''],
    ['bytes that are not UTF-8', Buffer.concat([Buffer.from(part(NAMED)), Buffer.of(0xff)])],
  ])('an event is not found in %s', async (_, body) => {
    expect(await send(body)).toMatchObject({ ok: false, status: 401 })
  })

  it('an event has a delimiter of at most 72 characters', async () => {
    const formWith = (length: number) =>
      `${part(NAMED)}--a--\r\n`.replaceAll('--a', `--${'a'.repeat(length)}`)
    expect(await send(formWith(70))).toMatchObject({ ok: true })
    expect(await send(formWith(71))).toMatchObject({ status: 401 })
  })

  it('an event is never plain JSON', async () => {
    expect(await send(JSON_TEXT, 'application/json')).toMatchObject({ reason: 'content_type_not_accepted' })
  })

  it('256 KB of delimiters are read in linear time', async () => {
    const body = `--\r\n${'--\r\n'.repeat(65_000)}`
    expect(await send(body)).toMatchObject({ status: 401 })
  })
})

it.each([
  ['a value', { event: EVENT }, 'string'],
  ['bytes', Buffer.from(JSON.stringify({ event: EVENT })), 'object'],
] as const)('signAs writes the form that Dropbox Sign would send: %s', async (_, body, sent) => {
  const signed = await signAs(dropboxSign, { secret: SECRET, body })
  expect(typeof signed.body).toBe(sent)
  expect(await send(signed.body, signed.headers['content-type'])).toMatchObject({
    ok: true,
    event: { payload: { event: { ...EVENT, event_hash: HASH } } },
  })
})
