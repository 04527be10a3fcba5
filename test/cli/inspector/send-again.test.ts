import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { braintree } from '../../../src/schemes/braintree.ts'
import { github } from '../../../src/schemes/github.ts'
import { linear } from '../../../src/schemes/linear.ts'
import { livekit } from '../../../src/schemes/livekit.ts'
import { shopify } from '../../../src/schemes/shopify.ts'
import { slack } from '../../../src/schemes/slack.ts'
import { stripe } from '../../../src/schemes/stripe.ts'
import { signAs, signHmac, signJwt } from '../../../src/testing/index.ts'
import { startApp } from '../forward/app.ts'
import { hookgate, shell, temporaryDirectory, temporaryFile } from '../support.ts'
import { type RunningInspector, SECRET, startInspector } from './support.ts'

async function send({ ask }: RunningInspector, seq: number, wish: object) {
  const answer = await ask(`deliveries/${seq}/send`, wish)
  return [answer.status, await answer.json()]
}

async function detail({ ask }: RunningInspector, seq: number) {
  return JSON.parse(await (await ask(`deliveries/${seq}`)).text())
}

const ran = { verdict: 'accepted', reason: null, status: 200 }

describe('running a delivery again', () => {
  it('the inspector runs the handler, tells the app, and leaves the first run as it is', async () => {
    const app = await startApp()
    const inspector = await startInspector(['--forward-to', app.url])
    const signed = await signHmac({ secret: SECRET, body: '{"a":1}' })
    const headers = { ...signed.headers, 'hookgate-replay': '1' }
    expect(await inspector.deliver({ ...signed, headers })).toBe(200)
    const answer = { ...ran, seq: 2, app: { status: 200, problem: null } }
    expect(await send(inspector, 1, {})).toEqual([200, answer])
    expect(await send(inspector, 2, {})).toEqual([200, { ...answer, seq: 3 }])
    expect(await send(inspector, 1, { asDuplicate: true })).toMatchObject([
      200,
      { reason: 'event_duplicate' },
    ])
    const [first, again] = await Promise.all([1, 2].map((seq) => detail(inspector, seq)))
    expect(again).toMatchObject({ replayOf: 1, eventId: first.eventId, body: first.body })
    const given = app.received.map(({ request }) => request.headers)
    expect(given.map((each) => each['hookgate-replay'])).toEqual([undefined, '1', '1'])
    expect(given[0]?.['webhook-event-id']).toBe(first.eventId)
    expect(new Set(given.map((each) => each['webhook-event-id'])).size).toBe(3)
  })

  it('the inspector says that the app is down, and what the app refused', async () => {
    const app = await startApp((response) => response.writeHead(500).end())
    const inspector = await startInspector(['--forward-to', app.url])
    await inspector.deliver(await signHmac({ secret: SECRET, body: '{}' }))
    expect(await send(inspector, 1, {})).toMatchObject([200, { app: { status: 500 } }])
    app.server.close()
    app.server.closeAllConnections()
    expect(await send(inspector, 1, {})).toMatchObject([
      200,
      {
        reason: 'upstream_unreachable',
        app: { status: null, problem: expect.stringMatching(/nothing listens/) },
      },
    ])
  })

  it('a delivery of GitHub runs, whose sender header keeps its ID', async () => {
    const secret = 'a-secret-for-github-0123456789'
    const file = await temporaryFile('secret.txt', secret)
    const app = await startApp()
    const scheme = ['--scheme', 'github', '--secret-file', file, '--forward-to', app.url]
    const inspector = await startInspector(scheme, {})
    const signed = await signAs(github, { secret, body: '{"zen":1}', eventType: 'ping' })
    expect(await inspector.deliver(signed)).toBe(200)
    expect(await send(inspector, 1, {})).toMatchObject([200, ran])
    const [first, again] = app.received.map(({ request }) => request.headers)
    expect(again).toMatchObject({
      'x-github-delivery': first?.['x-github-delivery'],
      'x-github-event': 'ping',
      'x-hub-signature-256': first?.['x-hub-signature-256'],
      'hookgate-replay': '1',
    })
    expect(again?.['webhook-event-id']).not.toBe(first?.['webhook-event-id'])
  })

  it('an Events delivery of Shopify is signed anew with the headers of Events', async () => {
    const secret = 'shpss_0123456789abcdef0123456789abcdef'
    const file = await temporaryFile('secret.txt', secret)
    const app = await startApp()
    const scheme = ['--scheme', 'shopify', '--secret-file', file, '--forward-to', app.url]
    const inspector = await startInspector(scheme, {})
    const { headers, ...signed } = await signAs(shopify, { secret, body: '{"topic":"Product"}' })
    const mac = headers['x-shopify-hmac-sha256'] ?? ''
    const events = { 'shopify-hmac-sha256': mac, 'shopify-topic': 'Product', 'shopify-webhook-id': 'wh_1' }
    const delivery = { ...signed, headers: { 'content-type': 'application/json', ...events } }
    expect(await inspector.deliver(delivery)).toBe(200)
    expect(await send(inspector, 1, {})).toMatchObject([200, ran])
    expect(app.received.map(({ request }) => request.headers)).toMatchObject([events, events])
    expect((await detail(inspector, 1)).headers.join()).not.toContain(mac)
  })

  it('forms of GitHub and Slack are signed anew, byte for byte', async () => {
    const form = 'application/x-www-form-urlencoded'
    const secret = 'a-secret-for-forms-0123456789'
    const file = await temporaryFile('secret.txt', secret)
    for (const [name, scheme, body] of [
      ['github', github, 'payload=%7B%22zen%22:1%7D'],
      ['slack', slack, 'command=%2Fweather&text=a+b'],
      ['slack', slack, 'payload=%7B%22type%22:%22block_actions%22%7D'],
    ] as const) {
      const inspector = await startInspector(['--scheme', name, '--secret-file', file], {})
      expect(await inspector.deliver(await signAs(scheme, { secret, body, contentType: form }))).toBe(200)
      expect(await send(inspector, 1, {})).toMatchObject([200, ran])
      const shown = await Promise.all([1, 2].map((seq) => detail(inspector, seq)))
      expect(shown.map((each) => Buffer.from(each.body, 'base64').toString())).toEqual([body, body])
      if (scheme === github) continue
      const curl = await inspector.ask('deliveries/1/curl', {})
      expect([curl.status, JSON.parse(await curl.text())]).toMatchObject([
        200,
        { command: expect.stringContaining(body) },
      ])
    }
  })

  it('a delivery runs whose time is in the body, an hour later, and for the address that it first came from', async () => {
    const secret = 'a-secret-for-linear-0123456789'
    const file = await temporaryFile('secret.txt', secret)
    const record = await temporaryFile('record.ndjson', '')
    const scheme = ['--scheme', 'linear', '--secret-file', file]
    const first = await startInspector([...scheme, '--record', record], {})
    const body = JSON.stringify({ type: 'Issue', webhookTimestamp: Date.now() })
    expect(await first.deliver(await signAs(linear, { secret, body }))).toBe(200)
    await first.listener.stop()
    const line = JSON.parse(await readFile(record, 'utf8'))
    const hourAgo = Date.now() - 3_600_000
    const old = Buffer.from(JSON.stringify({ type: 'Issue', webhookTimestamp: hourAgo })).toString('base64')
    await writeFile(
      record,
      `${JSON.stringify({ ...line, ...{ time: new Date(hourAgo), bodyBase64: old, sourceIp: '192.0.2.7' } })}\n`,
    )
    const inspector = await startInspector([...scheme, '--load', record, '--allow-cidr', '192.0.2.0/24'], {})
    expect(await send(inspector, 1, {})).toMatchObject([200, ran])
    expect(await send(inspector, 2, {})).toMatchObject([200, ran])
  })

  it('an old or a badly signed delivery is signed anew, so that it passes', async () => {
    const inspector = await startInspector()
    expect(
      await inspector.deliver(await signHmac({ secret: SECRET, body: '{}', timestamp: 1_790_000_000 })),
    ).toBe(400)
    expect(await inspector.deliver(await signHmac({ secret: 'another-secret-0123456789', body: '{}' }))).toBe(
      401,
    )
    expect(await send(inspector, 1, {})).toMatchObject([200, ran])
    expect(await send(inspector, 2, {})).toMatchObject([200, ran])
  })

  it('an edited body runs too, with the other headers as they were', async () => {
    const inspector = await startInspector()
    const signed = await signHmac({ secret: SECRET, body: '{"a":1}' })
    await inspector.deliver({ ...signed, headers: { ...signed.headers, 'x-topic': 'orders' } })
    expect(await send(inspector, 1, { body: '{"a":"ü"}' })).toMatchObject([200, ran])
    const edited = await detail(inspector, 2)
    expect(Buffer.from(edited.body, 'base64').toString()).toBe('{"a":"ü"}')
    expect(edited.headers).toContainEqual(['x-topic', 'orders'])
  })

  it('the body of Stripe is kept, and signed as Stripe does', async () => {
    const secret = 'whsec_for_trying_0123456789'
    const file = await temporaryFile('secret.txt', secret)
    const inspector = await startInspector(['--scheme', 'stripe', '--secret-file', file], {})
    const body = '{ "id": "evt_1",\n  "type": "invoice.paid" }'
    expect(await inspector.deliver(await signAs(stripe, { secret, body }))).toBe(200)
    expect(await send(inspector, 1, {})).toMatchObject([200, ran])
    const { eventId, body: sent, headers } = await detail(inspector, 2)
    expect(eventId).toBe('evt_1')
    expect(Buffer.from(sent, 'base64').toString()).toBe(body)
    expect(Object.fromEntries(headers)['stripe-signature']).toMatch(/^t=\d+,v1=\(64 characters hidden\)$/)
  })

  it('a delivery of LiveKit is signed with the name of the secret', async () => {
    const file = await temporaryFile('secret.txt', 'a-secret-for-livekit-0123456789')
    const scheme = ['--scheme', 'livekit', '--key-id', 'APIkey', '--secret-file', file]
    const inspector = await startInspector(scheme, {})
    const named = { secret: 'a-secret-for-livekit-0123456789', keyId: 'APIkey' }
    const body = '{"id":"EV_1","event":"room_started"}'
    expect(await inspector.deliver(await signAs(livekit, { ...named, body }))).toBe(200)
    expect(await send(inspector, 1, {})).toMatchObject([200, ran])
  })

  it("Braintree's form is sent as it was received, because hookgate would wrap it in another form", async () => {
    const file = await temporaryFile('secret.txt', 'a-secret-for-braintree-0123456789')
    const scheme = ['--scheme', 'braintree', '--key-id', 'public', '--secret-file', file]
    const inspector = await startInspector(scheme, {})
    const named = { secret: 'a-secret-for-braintree-0123456789', keyId: 'public' }
    expect(await inspector.deliver(await signAs(braintree, { ...named, body: '<a/>' }))).toBe(200)
    expect(await send(inspector, 1, {})).toMatchObject([200, ran])
    const edited = await send(inspector, 1, { body: '<b/>' })
    expect(edited).toEqual([409, { error: expect.stringMatching(/^Braintree signs/) }])
  })

  it('no curl command is given for GitHub, whose signatures would stay valid forever', async () => {
    const file = await temporaryFile('secret.txt', 'a-secret-for-github-0123456789')
    const inspector = await startInspector(['--scheme', 'github', '--secret-file', file], {})
    const secret = 'a-secret-for-github-0123456789'
    const signed = await signAs(github, { secret, body: '{"zen":1}', eventType: 'ping' })
    expect(await inspector.deliver(signed)).toBe(200)
    const curl = await inspector.ask('deliveries/1/curl', {})
    expect([curl.status, await curl.text()]).toEqual([409, expect.stringMatching(/valid forever/)])
  })

  it('a token is run again as it was received, or another is signed with --key, which editing needs', async () => {
    const cwd = await temporaryDirectory()
    await hookgate(['keys'], { cwd })
    const jwks = ['--jwks', join(cwd, 'hookgate-jwks.json')]
    const without = await startInspector(jwks, {})
    const privateKey = JSON.parse(await readFile(join(cwd, 'hookgate-private.jwk.json'), 'utf8'))
    const url = without.listener.url
    const claims = { subject: new URL(url).origin, audience: url }
    expect(await without.deliver(await signJwt({ ...claims, privateKey, body: '{}' }))).toBe(200)
    expect(await send(without, 1, {})).toMatchObject([200, ran])
    expect(await send(without, 1, { body: '{"a":1}' })).toEqual([
      409,
      { error: expect.stringMatching(/start listen with --key FILE/) },
    ])
    const inspector = await startInspector([...jwks, '--key', join(cwd, 'hookgate-private.jwk.json')], {})
    await inspector.deliver(await signHmac({ secret: SECRET, body: '{}' }))
    expect(await send(inspector, 1, {})).toMatchObject([200, ran])
    const { headers } = await detail(inspector, 2)
    expect(Object.fromEntries(headers).authorization).toMatch(/^Bearer \(\d+ characters hidden\)$/)
  })

  it('the printed curl command is accepted, for a body with quotes', async () => {
    const inspector = await startInspector()
    await inspector.deliver(await signHmac({ secret: SECRET, body: `{"it's":"$HOME \\\\ \\"x\\""}` }))
    const curl = await inspector.ask('deliveries/1/curl', { isNewEvent: true })
    const { command } = JSON.parse(await curl.text())
    const { stdout } = await shell(command)
    expect(stdout).toMatch(/^HTTP\/1\.1 200 OK/)
    expect((await detail(inspector, 2)).body).toBe((await detail(inspector, 1)).body)
  })

  it.each([
    ['ends a bracketed paste', '\u001b[201~'],
    ['is Ctrl-C', '\u0003'],
    ['moves the cursor, as one character', '\u009b2J'],
    ['is a return', '\r'],
  ])(
    'no curl command is given for a body that %s, because pasting it would send keystrokes',
    async (_, keys) => {
      const inspector = await startInspector()
      await inspector.deliver(await signHmac({ secret: SECRET, body: `{"a":"${keys};id\n"}` }))
      const curl = await inspector.ask('deliveries/1/curl', { isNewEvent: true })
      expect([curl.status, await curl.text()]).toEqual([409, expect.stringMatching(/hookgate send --file/)])
    },
  )

  it("a curl command leaves out the sender's other credentials, and headers that a terminal or curl would obey", async () => {
    const inspector = await startInspector()
    const { headers, body } = await signHmac({ secret: SECRET, body: '{}' })
    const others = {
      'x-proxy-token': 'hunter2',
      'x-kept': 'yes',
      'x-escape': '\u009b2J',
      'accept-encoding': 'gzip',
    }
    await inspector.deliver({ headers: { ...headers, ...others }, body, method: 'POST' })
    const { command } = JSON.parse(await (await inspector.ask('deliveries/1/curl', {})).text())
    expect(command).toContain("'X-Kept: yes'")
    expect(command).not.toMatch(/hunter2|X-Escape|Accept-Encoding/)
    expect((await shell(command)).stdout).toMatch(/^HTTP\/1\.1 200 OK/)
  })

  it('a curl command holds no header name of a loaded record unless HTTP allows it', async () => {
    const headers = [
      ['x-kept', '1'],
      ['\u001b[2J', '1'],
      ['@/etc/hostname', ''],
      ['', '1'],
    ]
    const record = { v: 1, seq: 1, time: '2026-11-23T00:00:00.000Z', method: 'POST', path: '/', headers }
    const line = JSON.stringify({ ...record, verdict: 'refused', bodyBase64: 'e30=' })
    const inspector = await startInspector(['--load', await temporaryFile('old.ndjson', `${line}\n`)])
    const { command } = JSON.parse(await (await inspector.ask('deliveries/1/curl', {})).text())
    expect(command.match(/'[^']*: 1'|'@[^']*'/g)).toEqual(["'X-Kept: 1'"])
    expect((await shell(command)).stdout).toMatch(/^HTTP\/1\.1 200 OK/)
  })

  it('the inspector refuses what it cannot send: a body that was not read, one over 8 MB, a delivery that is gone', async () => {
    const inspector = await startInspector(['--max-body', '10'])
    await inspector.deliver(await signHmac({ secret: SECRET, body: '{"more":"than ten"}' }))
    expect(await send(inspector, 1, {})).toEqual([400, { error: expect.stringMatching(/not read in full/) }])
    expect((await send(inspector, 1, { body: 'x'.repeat(8 * 2 ** 20) }))[0]).toBe(400)
    expect(await send(inspector, 2, {})).toEqual([404, { error: 'This delivery is no longer kept.' }])
    const asForm = await fetch(`${inspector.origin}/api/deliveries/1/send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${inspector.token}`, 'content-type': 'text/plain' },
      body: '{}',
    })
    expect(asForm.status).toBe(400)
  })
})
