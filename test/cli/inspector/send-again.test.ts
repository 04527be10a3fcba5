import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { braintree } from '../../../schemes/braintree.ts'
import { github } from '../../../schemes/github.ts'
import { livekit } from '../../../schemes/livekit.ts'
import { stripe } from '../../../schemes/stripe.ts'
import { signAs, signHmac } from '../../../src/testing/index.ts'
import { hookgate, shell, temporaryDirectory, temporaryFile } from '../support.ts'
import { type RunningInspector, SECRET, startInspector } from './support.ts'

async function send({ ask }: RunningInspector, seq: number, wish: object) {
  const answer = await ask(`deliveries/${seq}/send`, wish)
  return [answer.status, await answer.json()]
}

async function detail({ ask }: RunningInspector, seq: number) {
  return JSON.parse(await (await ask(`deliveries/${seq}`)).text())
}

describe('sending a delivery again', () => {
  it('keeps the event ID, so that it is a duplicate; a new ID makes a new event', async () => {
    const inspector = await startInspector()
    expect(await inspector.deliver(await signHmac({ secret: SECRET, body: '{"a":1}' }))).toBe(200)
    expect(await send(inspector, 1, {})).toEqual([200, { status: 409 }])
    expect(await send(inspector, 1, { isNewEvent: true })).toEqual([200, { status: 200 }])
    const [first, again, anew] = await Promise.all([1, 2, 3].map((seq) => detail(inspector, seq)))
    expect(again).toMatchObject({ replayOf: 1, reason: 'event_duplicate', eventId: first.eventId })
    expect(anew).toMatchObject({ replayOf: 1, verdict: 'accepted', body: first.body })
    expect(anew.eventId).not.toBe(first.eventId)
  })

  it('signs an old or a badly signed delivery anew, so that it passes', async () => {
    const inspector = await startInspector()
    expect(
      await inspector.deliver(await signHmac({ secret: SECRET, body: '{}', timestamp: 1_790_000_000 })),
    ).toBe(400)
    expect(await inspector.deliver(await signHmac({ secret: 'another-secret-0123456789', body: '{}' }))).toBe(
      401,
    )
    expect(await send(inspector, 1, {})).toEqual([200, { status: 200 }])
    expect(await send(inspector, 2, {})).toEqual([200, { status: 200 }])
  })

  it('sends an edited body, and the other headers as they were', async () => {
    const inspector = await startInspector()
    const signed = await signHmac({ secret: SECRET, body: '{"a":1}' })
    await inspector.deliver({ ...signed, headers: { ...signed.headers, 'x-topic': 'orders' } })
    expect(await send(inspector, 1, { body: '{"a":"ü"}', isNewEvent: true })).toEqual([200, { status: 200 }])
    const edited = await detail(inspector, 2)
    expect(Buffer.from(edited.body, 'base64').toString()).toBe('{"a":"ü"}')
    expect(edited.headers).toContainEqual(['x-topic', 'orders'])
  })

  it('signs as Stripe does: a new ID is written into the body, and nothing else changes', async () => {
    const file = await temporaryFile('secret.txt', 'whsec_for_trying_0123456789')
    const inspector = await startInspector(['--scheme', 'stripe', '--secret-file', file], {})
    const body = '{ "id": "evt_1",\n  "type": "invoice.paid" }'
    const secret = 'whsec_for_trying_0123456789'
    expect(await inspector.deliver(await signAs(stripe, { secret, body }))).toBe(200)
    expect(await send(inspector, 1, { isNewEvent: true })).toEqual([200, { status: 200 }])
    const { eventId, body: sent, headers } = await detail(inspector, 2)
    expect(eventId).toMatch(/^evt_1_[0-9a-f]{8}$/)
    expect(Buffer.from(sent, 'base64').toString()).toBe(body.replace('evt_1', eventId))
    expect(Object.fromEntries(headers)['stripe-signature']).toMatch(/^t=\d+,v1=\(64 characters hidden\)$/)
  })

  it('signs as LiveKit does, with the name of the secret', async () => {
    const file = await temporaryFile('secret.txt', 'a-secret-for-livekit-0123456789')
    const scheme = ['--scheme', 'livekit', '--key-id', 'APIkey', '--secret-file', file]
    const inspector = await startInspector(scheme, {})
    const named = { secret: 'a-secret-for-livekit-0123456789', keyId: 'APIkey' }
    const body = '{"id":"EV_1","event":"room_started"}'
    expect(await inspector.deliver(await signAs(livekit, { ...named, body }))).toBe(200)
    expect(await send(inspector, 1, { isNewEvent: true })).toEqual([200, { status: 200 }])
    expect((await detail(inspector, 2)).eventId).toMatch(/^EV_1_[0-9a-f]{8}$/)
  })

  it("does not wrap Braintree's form in another form", async () => {
    const file = await temporaryFile('secret.txt', 'a-secret-for-braintree-0123456789')
    const scheme = ['--scheme', 'braintree', '--key-id', 'public', '--secret-file', file]
    const inspector = await startInspector(scheme, {})
    const named = { secret: 'a-secret-for-braintree-0123456789', keyId: 'public' }
    expect(await inspector.deliver(await signAs(braintree, { ...named, body: '<a/>' }))).toBe(200)
    expect(await send(inspector, 1, {})).toEqual([409, { error: expect.stringMatching(/^Braintree signs/) }])
  })

  it('gives no curl command for GitHub, whose signatures would stay valid forever', async () => {
    const file = await temporaryFile('secret.txt', 'a-secret-for-github-0123456789')
    const inspector = await startInspector(['--scheme', 'github', '--secret-file', file], {})
    const secret = 'a-secret-for-github-0123456789'
    const signed = await signAs(github, { secret, body: '{"zen":1}', eventType: 'ping' })
    expect(await inspector.deliver(signed)).toBe(200)
    const curl = await inspector.ask('deliveries/1/curl', {})
    expect([curl.status, await curl.text()]).toEqual([409, expect.stringMatching(/valid forever/)])
    expect(await send(inspector, 1, { body: '{"zen":2}' })).toEqual([200, { status: 200 }])
    expect((await detail(inspector, 2)).headers).toContainEqual(['x-github-event', 'ping'])
  })

  it('signs a token with --key, and says what to do without one', async () => {
    const cwd = await temporaryDirectory()
    await hookgate(['keys'], { cwd })
    const jwks = ['--jwks', join(cwd, 'hookgate-jwks.json')]
    const without = await startInspector(jwks, {})
    await without.deliver(await signHmac({ secret: SECRET, body: '{}' }))
    expect(await send(without, 1, {})).toEqual([
      409,
      { error: expect.stringMatching(/start listen with --key FILE/) },
    ])
    const inspector = await startInspector([...jwks, '--key', join(cwd, 'hookgate-private.jwk.json')], {})
    await inspector.deliver(await signHmac({ secret: SECRET, body: '{}' }))
    expect(await send(inspector, 1, {})).toEqual([200, { status: 200 }])
    const { headers } = await detail(inspector, 2)
    expect(Object.fromEntries(headers).authorization).toMatch(/^Bearer \(\d+ characters hidden\)$/)
  })

  it('prints a curl command that is accepted, for a body with quotes', async () => {
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
    'gives no curl command for a body that %s, because pasting it would send keystrokes',
    async (_, keys) => {
      const inspector = await startInspector()
      await inspector.deliver(await signHmac({ secret: SECRET, body: `{"a":"${keys};id\n"}` }))
      const curl = await inspector.ask('deliveries/1/curl', { isNewEvent: true })
      expect([curl.status, await curl.text()]).toEqual([409, expect.stringMatching(/hookgate send --file/)])
    },
  )

  it("leaves the sender's other credentials out of a curl command, and headers that a terminal would obey", async () => {
    const inspector = await startInspector()
    const { headers, body } = await signHmac({ secret: SECRET, body: '{}' })
    const others = { 'x-proxy-token': 'hunter2', 'x-kept': 'yes', 'x-escape': '\u009b2J' }
    await inspector.deliver({ headers: { ...headers, ...others }, body, method: 'POST' })
    const { command } = JSON.parse(await (await inspector.ask('deliveries/1/curl', {})).text())
    expect(command).toContain("'X-Kept: yes'")
    expect(command).not.toMatch(/hunter2|X-Escape/)
    expect((await shell(command)).stdout).toMatch(/^HTTP\/1\.1 200 OK/)
  })

  it('takes no header name of a loaded record into a curl command unless HTTP allows it', async () => {
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

  it('refuses what it cannot send: a body that was not read, one over 8 MB, a delivery that is gone', async () => {
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
