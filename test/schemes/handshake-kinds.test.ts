import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { discord } from '../../src/schemes/discord.ts'
import { notion } from '../../src/schemes/notion.ts'
import { slack } from '../../src/schemes/slack.ts'
import { woocommerce } from '../../src/schemes/woocommerce.ts'
import { zoom } from '../../src/schemes/zoom.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { schemeReceiver } from '../support/scheme-receiver.ts'
import { spyStore } from '../support/spy-store.ts'

describe('Discord', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  const { clock, receive } = schemeReceiver(discord({ publicKeys: raw.toString('hex') }))
  const send = (message: object) => {
    const [time, body] = [`${clock.seconds()}`, JSON.stringify(message)]
    const signature = sign(null, Buffer.from(time + body), privateKey).toString('hex')
    return receive({ headers: { 'x-signature-timestamp': time, 'x-signature-ed25519': signature }, body })
  }

  it('Discord passes a webhook event to the handler, although interactions use its type for a PING', async () => {
    const message = { version: 1, application_id: '1234', type: 1, event: { type: 'APPLICATION_AUTHORIZED' } }
    const event = { type: 'APPLICATION_AUTHORIZED', payload: message }
    expect(await send(message)).toMatchObject({ ok: true, event })
  })

  it('Discord answers both kinds of PING', async () => {
    const reply = { status: 200, body: '{"type":1}' }
    expect(await send({ type: 1, id: '1', version: 1 })).toMatchObject({ handshake: true, reply })
    expect(await send({ type: 0, version: 1 })).toMatchObject({ handshake: true, reply: { status: 204 } })
  })
})

describe('Slack', () => {
  const { store, calls } = spyStore(memoryStore({ maxRecords: 10 }))
  const { receive } = schemeReceiver(slack({ secrets: 'a secret' }), undefined, { store })
  const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
  const SIGNED = { 'x-slack-signature': 'v0=00', 'x-slack-request-timestamp': '1' }
  const OK = { handshake: true, reply: { status: 200, body: '' } }

  it.each([
    ['in a form', { headers: FORM, body: 'ssl_check=1&token=gIkuvaNzQIHg97ATvDxqgjtO' }],
    ['without a token', { headers: FORM, body: 'ssl_check=1' }],
    ['after the token', { headers: FORM, body: 'token=a1&ssl_check=1' }],
    [
      'in a form with a charset',
      { headers: { 'content-type': `${FORM['content-type']}; charset=UTF-8` }, body: 'ssl_check=1' },
    ],
    ['with a token of 256 characters', { headers: FORM, body: `ssl_check=1&token=${'x'.repeat(256)}` }],
    ['with an empty token', { headers: FORM, body: 'ssl_check=1&token=' }],
    ['with a token of other characters', { headers: FORM, body: 'token=a-b.c%2F%3D&ssl_check=1' }],
    ['with the headers of a signature', { headers: { ...FORM, ...SIGNED }, body: 'ssl_check=1' }],
    ['at a URL with an empty query', { headers: FORM, body: 'ssl_check=1', url: '/slack?' }],
    ['in the query of a GET', { method: 'GET', url: '/slack?ssl_check=1&token=a1', headers: {}, body: '' }],
    ['alone in the query of a GET', { method: 'GET', url: '/slack?ssl_check=1', headers: {}, body: '' }],
  ])('an unsigned check of the certificate is answered %s, and nothing is claimed', async (_, request) => {
    expect(await receive(request)).toMatchObject(OK)
    expect(calls).toEqual([])
  })

  const MISSING = { reason: 'header_missing', status: 400 }
  const NO_GET = { reason: 'method_not_post', status: 405 }
  const inForm = (body: string) => ({ headers: FORM, body })
  const get = (query: string, body = '') => ({ method: 'GET', url: `/slack?${query}`, headers: {}, body })

  it.each([
    ['a 0', inForm('ssl_check=0'), MISSING],
    ['true', inForm('ssl_check=true'), MISSING],
    ['no value', inForm('ssl_check'), MISSING],
    ['an empty value', inForm('ssl_check=&token=a1'), MISSING],
    ['a 1 and a blank', inForm('ssl_check=1+'), MISSING],
    ['the field of an interaction', inForm('ssl_check=1&payload=%7B%7D'), MISSING],
    ['the fields of a command', inForm('token=a1&ssl_check=1&command=%2Fdeploy'), MISSING],
    ['the check twice', inForm('ssl_check=1&ssl_check=1'), MISSING],
    ['the token twice', inForm('token=a1&ssl_check=1&token=a1'), MISSING],
    ['the token alone', inForm('token=a1'), MISSING],
    ['a percent code in the name', inForm('ssl%5Fcheck=1'), MISSING],
    ['an empty field', inForm('ssl_check=1&'), MISSING],
    ['a field that ends like a token', inForm('ssl_check=1&xtoken=a'), MISSING],
    ['a body of 301 characters', inForm(`ssl_check=1${'&'.repeat(290)}`), MISSING],
    [
      'a multipart form',
      { headers: { 'content-type': 'multipart/form-data; boundary=a' }, body: 'ssl_check=1' },
      MISSING,
    ],
    ['another case', inForm('SSL_CHECK=1'), MISSING],
    ['a byte order mark', inForm('\uFEFFssl_check=1'), MISSING],
    ['a line break', inForm('ssl_check=1\n'), MISSING],
    ['a token of 257 characters', inForm(`ssl_check=1&token=${'x'.repeat(257)}`), MISSING],
    ['a query', { ...inForm('ssl_check=1'), url: '/slack?ssl_check=1' }, MISSING],
    ['a query of its own', { ...inForm('ssl_check=1'), url: '/slack?a=b' }, MISSING],
    ['JSON', { headers: { 'content-type': 'application/json' }, body: 'ssl_check=1' }, MISSING],
    ['text', { headers: { 'content-type': 'text/plain' }, body: 'ssl_check=1' }, MISSING],
    ['no content type', { headers: {}, body: 'ssl_check=1' }, MISSING],
    ['the query of a POST', { headers: FORM, body: '', url: '/slack?ssl_check=1' }, MISSING],
    ['a GET with a body', get('ssl_check=1', 'ssl_check=1'), NO_GET],
    ['a GET with a 0', get('ssl_check=0'), NO_GET],
    ['a GET with another field', get('ssl_check=1&team_id=T1'), NO_GET],
    ['a GET with the check twice', get('ssl_check=1&ssl_check=1'), NO_GET],
    ['a HEAD', { ...get('ssl_check=1'), method: 'HEAD' }, NO_GET],
    ['a PUT', { ...inForm('ssl_check=1'), method: 'PUT' }, NO_GET],
  ])(
    'what only resembles a check of the certificate is refused as without it: %s',
    async (_, request, refusal) => {
      expect(await receive(request)).toMatchObject({ ok: false, ...refusal })
    },
  )

  it('a check of the certificate is answered only to allowed networks', async () => {
    const { receive } = schemeReceiver(slack({ secrets: 'a secret' }), undefined, {
      allowedCidrs: ['192.0.2.0/24'],
    })
    expect(await receive(inForm('ssl_check=1'))).toMatchObject({ reason: 'source_ip_not_allowed' })
  })
})

describe('Zoom', () => {
  const macOf = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex')

  it.each(['the former token', 'the new token'])(
    'Zoom is answered with the secret that signed it, during a rotation: %s',
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
  ])('Zoom is not answered with the signature of a delivery: %s is a %i', async (plainToken, status) => {
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
    'WooCommerce sends no ping like %j',
    async (body) =>
      expect(await receive({ headers: form, body })).toMatchObject({ reason: expect.anything() }),
  )

  it('WooCommerce does not sign its ping: a signature makes it a delivery', async () => {
    const headers = { ...form, 'x-wc-webhook-signature': 'AAAA' }
    expect(await receive({ headers, body: 'webhook_id=7' })).toMatchObject({ reason: expect.anything() })
    expect(await receive({ headers: form, body: 'webhook_id=7' })).toMatchObject({ handshake: true })
    expect(await receive({ method: 'PUT', headers: form, body: 'webhook_id=7' })).toMatchObject({
      status: 405,
    })
  })
})

describe('Notion', () => {
  const TOKEN = 'secret_tMrlL1qK5vuQAh1b6cZGhFChZTSYJlce98V0pYn7yBl'
  const HANDSHAKE = `{"verification_token":"${TOKEN}"}`
  const signed = (secret: string, body: string) => ({
    'x-notion-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  })
  /** The verdict on a body, and what `onHandshake` was told. */
  async function sent(
    body: string | Buffer,
    headers: Parameters<ReturnType<typeof schemeReceiver>['receive']>[0]['headers'] = {},
    secrets?: string,
  ) {
    const told: string[] = []
    const onHandshake = ({ secret }: { readonly secret: string }) => told.push(secret)
    const { receive } = schemeReceiver(
      notion(secrets === undefined ? { onHandshake } : { secrets, onHandshake }),
    )
    const verdict = await receive({ headers: { 'content-type': 'application/json', ...headers }, body })
    return { ...verdict, told }
  }

  it.each([
    ['as Notion writes it', HANDSHAKE],
    ['with white space', `\r\n{ "verification_token"\t: "${TOKEN}" }\n`],
    ['of 256 characters', `{"verification_token":"${'a'.repeat(256)}"}`],
    ['of one character', '{"verification_token":"7"}'],
    ['with escapes', '{"\\u0076erification_token":"secret_\\u0061\\/b"}'],
  ])('Notion sends a token %s, signed with itself or not', async (_, body) => {
    const token: string = JSON.parse(body).verification_token
    for (const headers of [{}, signed(token, body)]) {
      const taken = { handshake: true, reply: { status: 200, body: '' }, told: [token] }
      expect(await sent(body, headers)).toMatchObject(taken)
    }
    expect(await sent(body, signed(token, body), token)).toMatchObject({ handshake: true, told: [token] })
  })

  it.each([
    ['twice', `{"verification_token":"${TOKEN}","verification_token":"${TOKEN}"}`],
    ['twice, once escaped', `{"verification_token":"a","verification\\u005ftoken":"${TOKEN}"}`],
    ['beside another member', `{"verification_token":"${TOKEN}","id":"1"}`],
    ['beside __proto__', `{"__proto__":{},"verification_token":"${TOKEN}"}`],
    ['in __proto__', `{"__proto__":${HANDSHAKE}}`],
    ['nested', `{"data":${HANDSHAKE}}`],
    ['in a list', `[${HANDSHAKE}]`],
    ['that is empty', '{"verification_token":""}'],
    ['that is blank', '{"verification_token":" "}'],
    ['with a space', '{"verification_token":"a b"}'],
    ['with a line feed', '{"verification_token":"a\\n"}'],
    ['beyond ASCII', '{"verification_token":"é"}'],
    ['with an escaped control character', '{"verification_token":"a\\u0000"}'],
    ['under another name', `{"verification_tokens":"${TOKEN}"}`],
    ['in JSON with an escape of its own', '{"verification_token":"\\x"}'],
    ['that is a number', '{"verification_token":1}'],
    ['that is null', '{"verification_token":null}'],
    ['that is a list', `{"verification_token":["${TOKEN}"]}`],
    ['of 257 characters', `{"verification_token":"${'a'.repeat(257)}"}`],
    ['of a megabyte', `{"verification_token":"${'a'.repeat(1_000_000)}"}`],
    ['in a body of 1,025 bytes', HANDSHAKE.padEnd(1025)],
    ['behind a byte order mark', `\uFEFF${HANDSHAKE}`],
    ['without its end', HANDSHAKE.slice(0, -1)],
    ['before more', `${HANDSHAKE}{}`],
  ])('Notion sends no token %s', async (_, body) => {
    let token = TOKEN
    try {
      token = `${Object(JSON.parse(body)).verification_token}`
    } catch {}
    for (const headers of [{}, signed(TOKEN, body), signed(token, body)]) {
      const verdict = await sent(body, headers)
      expect(verdict).toMatchObject({ ok: false, status: 401, told: [] })
      expect(verdict).not.toHaveProperty('handshake', true)
    }
    expect(await sent(body, signed(TOKEN, body), TOKEN)).toMatchObject({ told: [] })
  })

  it.each([
    ['with a space', 'a b'],
    ['that is empty', ''],
    ['beyond ASCII', 'é'],
    ['of 257 characters', 'a'.repeat(257)],
  ])('Notion never has a token %s reach the handler, although it is signed', async (_, token) => {
    const body = JSON.stringify({ verification_token: token })
    expect(await sent(body, signed(TOKEN, body), TOKEN)).toMatchObject({ reason: 'body_malformed', told: [] })
  })

  it('Notion signs its token once, with the token, over the whole body', async () => {
    const right = signed(TOKEN, HANDSHAKE)['x-notion-signature']
    const wrong = [
      right.slice(0, -1),
      right.toUpperCase(),
      right.slice('sha256='.length),
      `${right}, ${right}`,
      [right, right],
      'sha256=',
      signed(TOKEN, '{}')['x-notion-signature'],
      signed('another', HANDSHAKE)['x-notion-signature'],
    ]
    for (const signature of wrong) {
      const verdict = await sent(HANDSHAKE, { 'x-notion-signature': signature })
      expect(verdict).toMatchObject({ reason: 'signature_mismatch', status: 401, told: [] })
    }
    expect(await sent(HANDSHAKE, { 'x-notion-signature': right })).toMatchObject({ told: [TOKEN] })
  })

  it('Notion hands nothing over that the secret does not sign, once there is one', async () => {
    const attackers = '{"verification_token":"of_an_attacker"}'
    for (const headers of [{}, signed('of_an_attacker', attackers)]) {
      expect(await sent(attackers, headers, TOKEN)).toMatchObject({ ok: false, status: 401, told: [] })
    }
  })

  it('Notion goes on verifying with its secret, whatever a handshake brings', async () => {
    const { receive } = schemeReceiver(notion({ secrets: TOKEN, onHandshake: () => {} }))
    const handshake = '{"verification_token":"a_new_token"}'
    expect(await receive({ headers: signed(TOKEN, handshake), body: handshake })).toMatchObject({
      handshake: true,
    })
    const body = '{"id":"1","type":"page.created"}'
    expect(await receive({ headers: signed('a_new_token', body), body })).toMatchObject({ status: 401 })
    expect(await receive({ headers: signed(TOKEN, body), body })).toMatchObject({ ok: true })
  })

  it('Notion sends an event that has such a member of its own to the handler', async () => {
    const body = `{"id":"1","type":"page.created","verification_token":"${TOKEN}"}`
    const event = { ok: true, event: { id: '1', type: 'page.created' }, told: [] }
    expect(await sent(body, signed(TOKEN, body), TOKEN)).toMatchObject(event)
  })

  it('Notion never has a token alone reach the handler', async () => {
    const { receive } = schemeReceiver(notion({ secrets: TOKEN }))
    for (const body of [HANDSHAKE, '{"verification_token":5}']) {
      expect(await receive({ headers: signed(TOKEN, body), body })).toMatchObject({
        ok: false,
        reason: 'body_malformed',
        detail: expect.stringContaining('onHandshake'),
      })
      expect(await receive({ headers: {}, body })).toMatchObject({ status: 401 })
    }
  })

  it('Notion sends tokens by POST', async () => {
    const { receive } = schemeReceiver(notion({ onHandshake: () => {} }))
    for (const method of ['GET', 'PUT', 'OPTIONS']) {
      expect(await receive({ method, headers: {}, body: HANDSHAKE })).toMatchObject({ status: 405 })
    }
  })
})
