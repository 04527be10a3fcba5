import { createHmac } from 'node:crypto'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { explainLine } from '../../src/explain/index.ts'
import { type Delivery, defineListener, hmac, type ListenerOptions, verify } from '../../src/index.ts'
import { github } from '../../src/schemes/github.ts'
import { slack } from '../../src/schemes/slack.ts'
import { stripe } from '../../src/schemes/stripe.ts'
import { twilio } from '../../src/schemes/twilio.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { signAs, signHmac, toDelivery } from '../../src/testing/index.ts'

const STRIPE = 'whsec_explain-line-0123456789abcdef'
const SLACK = '8f742231b10e8888abcd99f6c6d85a51'
const FORM = 'application/x-www-form-urlencoded'
const CHANGED = 'or find what changes it in front of this listener.'

type Headers = { readonly [name: string]: string }

const changed = (delivery: Delivery, headers: Headers): Delivery => ({
  ...delivery,
  header: (name) => headers[name] ?? delivery.header(name),
})

/** What the terminal says of a delivery, as the listener judges it. */
async function lineOf(auth: ListenerOptions['auth'], delivery: Delivery): Promise<string | undefined> {
  const listener = defineListener({ id: 'explained', auth, store: memoryStore() })
  const verdict = await verify(delivery, listener)
  return explainLine(delivery, verdict, listener)
}

async function stripeLine(headers: Headers, body = '{"id":"evt_1"}'): Promise<string | undefined> {
  const signed = toDelivery(await signAs(stripe, { secret: STRIPE, body }))
  return lineOf(stripe({ secrets: STRIPE }), changed(signed, headers))
}

describe('the line on a terminal says what to do', () => {
  it.each([
    [
      'a proxy has decompressed the body and left the header',
      { 'content-encoding': 'gzip' },
      'Content-Encoding is "gzip", not identity: the body is not compressed, so find what decompresses it in front of this listener, and let it remove the header.',
    ],
    [
      'the content type is another one',
      { 'content-type': 'text/plain' },
      `Content-Type is "text/plain", not application/json, in UTF-8: send that type, ${CHANGED}`,
    ],
  ])('the line says what to do if %s, although it is signed', async (_, headers: Headers, says) => {
    expect(await stripeLine(headers)).toContain(says)
  })

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('a body that is compressed is told so, whatever its first byte is (%s)', async (coding, compress) => {
    for (const text of ['{"id":"evt_1"}', '[1]', '{}', `{"id":"${'evt_1'.repeat(1000)}"}`]) {
      const signed = toDelivery(await signAs(stripe, { secret: STRIPE, body: compress(text) }))
      const line = await lineOf(stripe({ secrets: STRIPE }), changed(signed, { 'content-encoding': coding }))
      expect(line).toContain(`Content-Encoding is "${coding}", not identity: send the body uncompressed, or`)
    }
  })

  it.each(['{"ö":1}', ' [{}]', '{}', '[]', '[1]', '{\n "a":1}'])(
    'a body that is not compressed is told so, with nothing of it: %j',
    async (body) => {
      const line = await stripeLine({ 'content-encoding': 'x-gzip' }, body)
      expect(line).toContain(
        '"x-gzip", not identity: the body is not compressed, so find what decompresses it',
      )
      expect(line).not.toContain(body)
    },
  )

  it.each([
    ['{id:evt_1}', 'The names in the body have no double quotes, which JSON needs and a shell may remove'],
    ["'{id:evt_1}'", 'The names in the body have no double quotes'],
    ["{'id':'evt_1'}", 'The names in the body have no double quotes'],
    ['{\\"id\\":1}', 'The names in the body have no double quotes'],
    ['id=evt_1&type=a', 'The body is a form, and Content-Type does not say so'],
    ['<p>evt_1</p>', 'The body is XML or HTML, and Content-Type does not say so'],
  ])('a body that a first test often sends is named: %s', async (body, says) => {
    expect(await stripeLine({}, body)).toContain(says)
  })

  it.each(['{"id":', '{"a" 1}', '[1,', 'true=', 'null'.repeat(2)])(
    'other bodies that are no JSON are not taken for one of them: %s',
    async (body) => {
      expect(await stripeLine({}, body)).not.toMatch(/double quotes|XML/)
    },
  )

  it('JSON that comes as a form is named', async () => {
    const secret = 'github-0123456789abcdef'
    const signed = toDelivery(await signAs(github, { secret, body: '{"zen":"x"}', eventType: 'push' }))
    expect(await lineOf(github({ secrets: secret }), changed(signed, { 'content-type': FORM }))).toContain(
      'The body is JSON, and Content-Type says that it is a form: send application/json.',
    )
  })

  it('a signature of the body alone is named, although the scheme signs a version before it', async () => {
    const signed = await signAs(slack, { secret: SLACK, body: '{"type":"event_callback","event_id":"Ev1"}' })
    const alone = `v0=${createHmac('sha256', SLACK).update(signed.body).digest('hex')}`
    const delivery = changed(toDelivery(signed), { 'x-slack-signature': alone })
    expect(await lineOf(slack({ secrets: SLACK }), delivery)).toContain(
      'Slack signed the body alone, not v0:timestamp:body',
    )
  })

  it('a wrong signature of hmac(), whose secret nobody can try, says two things to check and a command', async () => {
    const auth = hmac({ secrets: 'explain-line-0123456789' })
    const signed = toDelivery(await signHmac({ secret: 'another-secret-0123456789', body: '{}' }))
    expect(await lineOf(auth, signed)).toBe(
      'The signature does not match your secret. Check what you pass: the secret of the listener; the sender must have the same, also after a change. Check that no proxy, middleware or gateway in front of this listener changes the body. To see what arrives, run: npx --no-install hookgate listen --ui',
    )
    const malformed = changed(signed, { 'webhook-signature': 'nope' })
    expect(await lineOf(auth, malformed)).toMatch(
      /^Webhook-Signature is not 43 characters of base64url\. More: /,
    )
  })

  it('an adapter that says where to mount it is not contradicted', async () => {
    const listener = defineListener({ id: 'all', auth: stripe({ secrets: STRIPE }), store: memoryStore() })
    const detail =
      "the method is not POST; it also guards other routes here: mount it on the webhook's route only"
    const delivery = toDelivery(await signAs(stripe, { secret: STRIPE, body: '{}' }))
    const verdict = { ok: false, reason: 'method_not_post', status: 400, detail } as const
    expect(await explainLine(delivery, verdict, listener)).toMatch(/route only\. More: /)
  })

  it.each([
    ['https://user:hidden@shop.example/hooks', 'https://***@shop.example/hooks'],
    ['https://shop.example/hooks?a=1&api_key=hidden', 'https://shop.example/hooks?a=1&api_key=***'],
    ['https://shop.example/hooks?token=hidden&a=1', 'https://shop.example/hooks?token=***&a=1'],
  ])('no secret of publicUrl is shown, nor a command that would need it: %s', async (publicUrl, shown) => {
    const secret = '0123456789abcdef0123456789abcdef'
    const signed = await signAs(twilio, {
      secret: `f${secret.slice(1)}`,
      body: 'a=b',
      contentType: FORM,
      publicUrl,
    })
    const delivery = { ...toDelivery(signed), url: publicUrl.replace(/^.*example/, '') }
    const line = await lineOf(twilio({ secrets: secret, publicUrl }), delivery)
    expect(line).toContain(`publicUrl, ${shown}, is the URL`)
    expect(line).not.toMatch(/hidden|To see what arrives/)
  })
})
