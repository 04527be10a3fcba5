import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { discord } from '../../schemes/discord.ts'
import { woocommerce } from '../../schemes/woocommerce.ts'
import { zoom } from '../../schemes/zoom.ts'
import { schemeReceiver } from '../support/scheme-receiver.ts'

describe('Discord', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  const { clock, receive } = schemeReceiver(discord({ publicKeys: raw.toString('hex') }))
  const send = (message: object) => {
    const [time, body] = [`${clock.seconds()}`, JSON.stringify(message)]
    const signature = sign(null, Buffer.from(time + body), privateKey).toString('hex')
    return receive({ headers: { 'x-signature-timestamp': time, 'x-signature-ed25519': signature }, body })
  }

  it('passes a webhook event to the handler, although interactions use its type for a PING', async () => {
    const message = { version: 1, application_id: '1234', type: 1, event: { type: 'APPLICATION_AUTHORIZED' } }
    const event = { type: 'APPLICATION_AUTHORIZED', payload: message }
    expect(await send(message)).toMatchObject({ ok: true, event })
  })

  it('answers both kinds of PING', async () => {
    const reply = { status: 200, body: '{"type":1}' }
    expect(await send({ type: 1, id: '1', version: 1 })).toMatchObject({ handshake: true, reply })
    expect(await send({ type: 0, version: 1 })).toMatchObject({ handshake: true, reply: { status: 204 } })
  })
})

describe('Zoom', () => {
  const macOf = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex')

  it.each(['the former token', 'the new token'])(
    'is answered with the secret that signed it, during a rotation: %s',
    async (secret) => {
      const auth = zoom({ secrets: ['the former token', { id: 'new', secret: 'the new token' }] })
      const { clock, receive } = schemeReceiver(auth)
      const body = JSON.stringify({ event: 'endpoint.url_validation', payload: { plainToken: 'a text' } })
      const signature = `v0=${macOf(secret, `v0:${clock.seconds()}:${body}`)}`
      const headers = { 'x-zm-request-timestamp': `${clock.seconds()}`, 'x-zm-signature': signature }
      const encryptedToken = macOf(secret, 'a text')
      expect(await receive({ headers, body })).toMatchObject({
        handshake: true,
        reply: { status: 200, body: JSON.stringify({ plainToken: 'a text', encryptedToken }) },
      })
    },
  )

  it.each([
    ['v0:1790000000:{}', 400],
    ['v0:', 400],
    ['v0', 200],
    ['a v0:', 200],
  ])('is not answered with the signature of a delivery: %s is a %i', async (plainToken, status) => {
    const { clock, receive } = schemeReceiver(zoom({ secrets: 'a token' }))
    const body = JSON.stringify({ event: 'endpoint.url_validation', payload: { plainToken } })
    const signature = `v0=${macOf('a token', `v0:${clock.seconds()}:${body}`)}`
    const headers = { 'x-zm-request-timestamp': `${clock.seconds()}`, 'x-zm-signature': signature }
    const verdict = await receive({ headers, body })
    expect(verdict).toMatchObject({ handshake: true, reply: { status } })
    if (status === 400) expect(verdict).toMatchObject({ reply: { body: '' } })
  })
})

describe('WooCommerce', () => {
  const { receive } = schemeReceiver(woocommerce({ secrets: 'a secret' }))
  const form = { 'content-type': 'application/x-www-form-urlencoded' }

  it.each(['webhook_id=7&a=b', 'webhook_id=', 'webhook_id=seven', `webhook_id=${'7'.repeat(60)}`, ''])(
    'sends no ping like %j',
    async (body) =>
      expect(await receive({ headers: form, body })).toMatchObject({ reason: expect.anything() }),
  )

  it('does not sign its ping: a signature makes it a delivery', async () => {
    const headers = { ...form, 'x-wc-webhook-signature': 'AAAA' }
    expect(await receive({ headers, body: 'webhook_id=7' })).toMatchObject({ reason: expect.anything() })
    expect(await receive({ headers: form, body: 'webhook_id=7' })).toMatchObject({ handshake: true })
    expect(await receive({ method: 'PUT', headers: form, body: 'webhook_id=7' })).toMatchObject({
      status: 405,
    })
  })
})
