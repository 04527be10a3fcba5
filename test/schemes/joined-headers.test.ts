import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { webhookHandler } from '../../adapters/web.ts'
import { type Authenticator, defineListener } from '../../src/index.ts'
import { contentful } from '../../src/schemes/contentful.ts'
import { klaviyo } from '../../src/schemes/klaviyo.ts'
import { rfc9421 } from '../../src/schemes/rfc9421.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { fakeClock } from '../support/clock.ts'

const URL = 'https://receiver.example/hooks'
const BODY = '{"type":"made.up"}'
const SECRET = 'a'.repeat(64)
const macOf = (text: string) => createHmac('sha256', SECRET).update(text)
const digestBy = (name: string, hash: string) => `${name}=:${createHash(hash).update(BODY).digest('base64')}:`

/** `Headers` joins repeated lines with a comma, so a value that contains one looks like a repeated header. */
async function statusOf(auth: Authenticator, headers: Record<string, string>): Promise<number> {
  const listener = defineListener({ id: 'a-sender', auth, store: memoryStore({ clock }), clock })
  const handler = webhookHandler(listener, () => {})
  const all = { 'content-type': 'application/json', ...headers }
  return (await handler(new Request(URL, { method: 'POST', body: BODY, headers: all }))).status
}

const clock = fakeClock()

describe('a comma in a header of a web request', () => {
  const auth = () => rfc9421({ secrets: SECRET, publicUrl: URL })
  const signed = (headers: Record<string, string>) => {
    const input =
      `(${Object.keys(headers).map((name) => `"${name}"`)});created=${clock.seconds()}`.replaceAll(',', ' ')
    const lines = Object.entries(headers).map(([name, value]) => `"${name}": ${value}\n`)
    const signature = macOf(`${lines.join('')}"@signature-params": ${input}`).digest('base64')
    return { ...headers, 'signature-input': `sig=${input}`, signature: `sig=:${signature}:` }
  }
  const digest = { 'content-digest': digestBy('sha-256', 'sha256') }

  it('a date with a comma may be signed by RFC 9421', async () => {
    const headers = signed({ date: 'Tue, 20 Apr 2021 02:07:55 GMT', ...digest })
    expect(await statusOf(auth(), headers)).toBe(200)
    expect(await statusOf(auth(), { ...headers, date: 'Tue, 20 Apr 2021 02:07:56 GMT' })).toBe(401)
  })

  it('a comma may separate two digests of RFC 9530', async () => {
    const both = `${digest['content-digest']}, ${digestBy('sha-512', 'sha512')}`
    expect(await statusOf(auth(), signed({ 'content-digest': both }))).toBe(200)
  })

  it('a comma may separate two signatures of RFC 9421, but not two with the same label', async () => {
    const { signature, ...rest } = signed(digest)
    const input = `proxy=("@method");created=1, ${rest['signature-input']}`
    const two = { ...rest, 'signature-input': input, signature: `proxy=:AAAA:, ${signature}` }
    expect(await statusOf(auth(), two)).toBe(200)
    expect(await statusOf(auth(), { ...rest, signature: `${signature}, ${signature}` })).toBe(401)
  })

  it("a webhook's name with a comma may be signed by Contentful", async () => {
    const names = ['x-contentful-signed-headers', 'x-contentful-timestamp', 'x-contentful-webhook-name']
    const values = [names.join(), `${clock.now()}`, 'Articles, and authors']
    const line = names.map((name, index) => `${name}:${values[index]}`).join(';')
    const signature = macOf(['POST', '/hooks', line, BODY].join('\n')).digest('hex')
    const headers = Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']))
    const auth = contentful({ secrets: SECRET, publicUrl: URL })
    expect(await statusOf(auth, { ...headers, 'x-contentful-signature': signature })).toBe(200)
  })

  it('the time of Klaviyo is a date with a comma, and only one date is a time', async () => {
    const date = new Date(clock.now()).toUTCString()
    const signature = macOf(BODY + date).digest('hex')
    const send = (time: string) =>
      statusOf(klaviyo({ secrets: SECRET }), { 'klaviyo-signature': signature, 'klaviyo-timestamp': time })
    expect(await send(date)).toBe(200)
    expect(await send(`${date}, ${date}`)).toBe(400)
    expect(await send(date.replace(', ', ','))).toBe(401)
  })
})
