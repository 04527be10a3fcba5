import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { exportJWK, generateKeyPair } from 'jose'
import { expect, onTestFinished, test } from 'vitest'
import { aboutMinimal, sampleOf, sampleOption, typeOf } from '../../../cli/signing/samples.ts'
import { loadScheme } from '../../../cli/signing/schemes.ts'
import { defineListener, verify } from '../../../src/index.ts'
import { hasKeyPair } from '../../../src/schemes/kit/compile-scheme.ts'
import { memoryStore } from '../../../src/stores/memory.ts'
import { signAs, toDelivery } from '../../../src/testing/index.ts'
import { runCommand } from '../shared-process.ts'

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
const env = { HOOKGATE_SECRET: SECRET }
const publicUrl = 'https://example.com/hooks'

test.each([
  ['stripe', ['invoice.paid', 'checkout.session.completed', 'customer.subscription.deleted']],
  ['github', ['push', 'pull_request', 'ping']],
  ['slack', ['app_mention', 'message']],
  ['shopify', ['orders/create', 'products/update']],
  ['twilio', [undefined]],
  ['standard-webhooks', ['user.created', 'invoice.paid']],
  ['svix', ['user.created', 'invoice.paid']],
  ['linear', ['Issue', 'Comment']],
  ['discord', ['APPLICATION_AUTHORIZED', 'ENTITLEMENT_CREATE']],
  ['meta', [undefined]],
  ['paddle', ['transaction.completed', 'subscription.created']],
])('the samples of %s are accepted as events of their type, each a new one', async (name, types) => {
  const factory = await loadScheme(name)
  const pair = await generateKeyPair('Ed25519', { extractable: true })
  const publicKey = Buffer.from(await crypto.subtle.exportKey('raw', pair.publicKey)).toString('hex')
  const keys = hasKeyPair(factory.scheme) ? { publicKeys: publicKey } : { secrets: SECRET }
  const own = hasKeyPair(factory.scheme)
    ? { privateKey: await exportJWK(pair.privateKey) }
    : { secret: SECRET }
  const auth = factory({ ...keys, publicUrl })
  const listener = defineListener({ id: 'samples', auth, store: memoryStore() })
  for (const type of [...types, ...types]) {
    const body = sampleOf(factory.scheme, type)
    const eventType = typeOf(factory.scheme, type)
    const verdict = await verify(
      toDelivery(await signAs(factory, { ...own, body, eventType, publicUrl })),
      listener,
    )
    expect(verdict).toMatchObject({ ok: true, event: { type } })
  }
  const option = types[0] === undefined ? '--sample' : `--type ${types[0]}`
  expect(sampleOption(name)).toBe(option)
})

/** Sends with these arguments. Resolves with what arrived. */
async function sent(...args: string[]): Promise<{ request: IncomingMessage; body: string } | string> {
  let arrived: { request: IncomingMessage; body: string } | undefined
  const server = createServer(async (request, response) => {
    arrived = { request, body: await text(request) }
    response.end()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // only a pipe's address is a string
  const { stderr } = await runCommand(['send', `http://127.0.0.1:${port}/`, ...args], { env })
  return arrived ?? stderr
}

test('send --type sends a sample, with the type where the sender puts it', async () => {
  expect(await sent('--scheme', 'stripe', '--type', 'invoice.paid')).toMatchObject({
    body: expect.stringMatching(/"id":"evt_[0-9a-f]{24}".*"type":"invoice.paid"/),
  })
  const headers = { 'x-github-event': 'pull_request' }
  expect(await sent('--scheme', 'github', '--type', 'pull_request')).toMatchObject({ request: { headers } })
  const own = ['--scheme', 'github', '--type', 'star', '--data', '{"a":1}']
  expect(await sent(...own)).toMatchObject({
    body: '{"a":1}',
    request: { headers: { 'x-github-event': 'star' } },
  })
})

test('a type without a sample is sent with a minimal body, and the command says which types have one', async () => {
  for (const scheme of ['stripe', 'github', 'slack', 'shopify', 'linear', 'paddle', 'svix']) {
    const factory = await loadScheme(scheme)
    const listener = defineListener({ id: 'a', auth: factory({ secrets: SECRET }), store: memoryStore() })
    const [body, again] = [sampleOf(factory.scheme, 'other.type'), sampleOf(factory.scheme, 'other.type')]
    expect(again).not.toBe(body)
    const signed = await signAs(factory, { secret: SECRET, body, eventType: 'other.type' })
    expect(await verify(toDelivery(signed), listener)).toMatchObject({
      ok: true,
      event: { type: 'other.type' },
    })
  }
  const { scheme } = await loadScheme('stripe')
  expect(aboutMinimal(scheme, 'invoice.paid')).toBe(undefined)
  expect(aboutMinimal(scheme, 'charge.failed')).toMatch(
    /^charge\.failed has a minimal body: .* invoice\.paid, checkout\.session\.completed, .*--file FILE$/,
  )
  const url = 'http://127.0.0.1:1/'
  const { stderr } = await runCommand(['send', url, '--scheme', 'stripe', '--type', 'invoice.payd\u001b'], {
    env,
  })
  expect(stderr).toMatch(/^hint: invoice\.payd\\u\{?001b.*did you mean invoice\.paid\?$/m)
})

test.each([
  ['a sample', ['--type', 'push'], 'ref'],
  ['JSON', ['--type', 'push', '--data', '{"ref":"a&b"}'], 'ref'],
  ['its form', ['--type', 'push', '--data', 'payload=%7B%22ref%22%3A1%7D'], 'ref'],
])('send makes the form that GitHub sends of %s, if the content type says so', async (_, args, member) => {
  const form = 'application/x-www-form-urlencoded'
  const given = await sent('--scheme', 'github', ...args, '--header', `Content-Type: ${form}`)
  if (typeof given === 'string') throw new Error(given)
  const [[name, value] = [], ...others] = new URLSearchParams(given.body)
  expect([name, others]).toEqual(['payload', []])
  expect(JSON.parse(value ?? '')).toHaveProperty(member)
  const { headers } = given.request
  expect(headers['content-type']).toBe(form)
  const auth = (await loadScheme('github'))({ secrets: SECRET })
  const delivery = toDelivery({
    method: 'POST',
    headers: headers as Record<string, string>,
    body: given.body,
  })
  const verdict = await verify(delivery, defineListener({ id: 'a', auth, store: memoryStore() }))
  expect(verdict).toMatchObject({ ok: true, event: { type: 'push', payload: JSON.parse(value ?? '') } })
})

test('a sender without a sample in its documented form gets one with the members of its row', async () => {
  expect(await sent('--scheme', 'zoom', '--sample')).toMatchObject({
    body: expect.stringMatching(/^\{"hookgate":"sample [0-9a-f]{50}","event":"sample"\}$/),
  })
  expect(await sent('--scheme', 'zoom', '--type', 'meeting.started')).toMatchObject({
    body: expect.stringContaining('"event":"meeting.started"'),
  })
})

test('a sender without event types has one sample, and refuses --type', async () => {
  expect(await sent('--scheme', 'twilio', '--sample')).toMatchObject({
    body: expect.stringMatching(/^MessageSid=SM[0-9a-f]{32}&/),
  })
  for (const scheme of ['twilio', 'meta']) {
    expect(await sent('--scheme', scheme, '--type', 'message')).toMatch(/names no event type; use --sample/)
  }
})

test.each([
  [['--type', 'invoice.paid'], /--type needs --scheme NAME/],
  [['--scheme', 'stripe', '--sample', '--data', '{}'], /give --sample or a body, not both/],
  [['--scheme', 'stripe', '--type', 'invoice.paid', '--data', '{}'], /writes the type into the body/],
  [['--data', '{}', '--header', 'no colon'], /--header takes 'Name: value'/],
  [['--data', '{}', '--header', 'Host: evil'], /it belongs to the connection/],
])('%j is refused with its remedy', async (args, problem) => {
  expect(await sent(...args)).toMatch(problem)
})

test("--header sends another header, or another value of the sender's own", async () => {
  const args = [
    '--scheme',
    'github',
    '--data',
    '{}',
    '--header',
    'X-Team: a: b',
    '--header',
    'Content-Type: text/plain',
  ]
  const headers = { 'x-team': 'a: b', 'content-type': 'text/plain' }
  expect(await sent(...args)).toMatchObject({ request: { headers } })
})
