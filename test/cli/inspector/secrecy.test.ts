import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { maskFor } from '../../../cli/inspector/mask.ts'
import { signHmac } from '../../../src/testing/index.ts'
import { temporaryFile } from '../support.ts'
import { rawAsk, SECRET, startInspector } from './support.ts'

async function opened(
  server: { listen(port: number, host: string): unknown; close(): unknown } & NodeJS.EventEmitter,
) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server as Server).address() as AddressInfo
}

/** An app that reveals the secret in a header and in its body. */
async function indiscreetApp(): Promise<string> {
  const app = createServer((_request, response) => {
    response
      .writeHead(500, { 'x-debug': `secret=${SECRET}`, 'set-cookie': `s=${SECRET}` })
      .end(`env: ${SECRET}`)
  })
  const { port } = await opened(app)
  return `http://127.0.0.1:${port}/`
}

/** Forwards everything to a port, and records every byte that comes back. */
async function recorderOf(port: number) {
  const kept: Buffer[] = []
  const recorder = createTcpServer((client) => {
    const server = connect(port, '127.0.0.1')
    server.on('data', (chunk: Buffer) => kept.push(chunk))
    client.on('error', () => server.destroy()).pipe(server)
    server.on('error', () => client.destroy()).pipe(client)
  })
  return { port: (await opened(recorder)).port, bytes: () => Buffer.concat(kept).toString('latin1') }
}

/** A secret as it could appear: bare, or in the usual encodings. */
function spellings(secret: Buffer): string[] {
  return [
    secret.toString('latin1'),
    ...(['base64', 'base64url', 'hex'] as const).map((form) => secret.toString(form)),
  ].map((text) => text.replace(/=+$/, ''))
}

/** Decodes everything in a text that looks like base64. */
function decoded(text: string): string {
  const runs = text.match(/[A-Za-z0-9+/]{8,}={0,2}/g) ?? []
  return runs.map((run) => Buffer.from(run, 'base64').toString('latin1')).join('\n')
}

it('the server sends neither the secret nor an expected signature, in any of its bytes', {
  timeout: 60_000,
}, async () => {
  const forwardTo = await indiscreetApp()
  const inspector = await startInspector(['--forward-to', forwardTo])
  const recorder = await recorderOf(inspector.port)
  const headers = {
    host: `127.0.0.1:${inspector.port}`,
    authorization: `Bearer ${inspector.token}`,
    'content-type': 'application/json',
  }
  const right = await signHmac({ secret: SECRET, body: '{"a":1}' })
  const signature = right.headers['webhook-signature'] ?? ''
  const leaky = await signHmac({
    secret: SECRET,
    body: JSON.stringify({ secret: SECRET, at: [`x${SECRET}x`] }),
  })
  const other = signature.startsWith('A') ? 'B' : 'A'
  const wrong = {
    ...right,
    headers: { ...right.headers, 'webhook-signature': `${other}${signature.slice(1)}` },
  }
  await inspector.deliver(wrong)
  await inspector.deliver(right)
  await inspector.deliver({
    ...leaky,
    headers: { ...leaky.headers, 'x-copy': SECRET, cookie: `secret=${SECRET}` },
  })
  await fetch(`${new URL(inspector.listener.url).origin}/${SECRET}?token=${SECRET}`, right)

  const paths = ['/', '/page.js', '/page.css', '/api/export.ndjson', '/api/export.har']
  for (const path of [...paths, ...[1, 2, 3, 4].map((seq) => `/api/deliveries/${seq}`)]) {
    expect((await rawAsk(recorder.port, path, headers)).status).toBe(200)
  }
  const watching = rawAsk(recorder.port, '/api/stream', headers)
  for (const action of ['send', 'curl']) {
    const body = { isNewEvent: true }
    const answer = await fetch(`${inspector.origin}/api/deliveries/3/${action}`, {
      method: 'POST',
      headers: { authorization: headers.authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(await answer.text()).not.toContain(SECRET)
  }
  await inspector.listener.stop()
  await watching.catch(() => {})

  const everything = recorder.bytes()
  expect(everything).toContain('signature_mismatch')
  expect(everything.length).toBeGreaterThan(15_000)
  const searched = `${everything}\n${decoded(everything)}`
  expect(decoded(everything)).toContain('{"a":1}')
  for (const text of [...spellings(Buffer.from(SECRET)), ...spellings(Buffer.from(signature, 'base64url'))]) {
    expect(searched.includes(text)).toBe(false)
  }
})

it.each([
  ['hookgate', 'the "forward" secret \\ 0123456789', ['forward', '0123456789']],
  ['standard-webhooks', `whsec_${'forward0'.repeat(6)}`, ['whsec_', 'forward0']],
])(
  'the secret that the gateway signs with as %s is hidden too, also as JSON escapes it',
  {
    timeout: 60_000,
  },
  async (format, forwardSecret, parts) => {
    const app = createServer((_request, response) => {
      response.writeHead(500, { 'x-debug': forwardSecret }).end(JSON.stringify({ env: forwardSecret }))
    })
    const file = await temporaryFile('forward.txt', forwardSecret)
    const { port } = await opened(app)
    const args = ['--forward-to', `http://127.0.0.1:${port}/`, '--forward-secret-file', file]
    args.push('--forward-format', format)
    const { ask, deliver } = await startInspector(args)
    await deliver(await signHmac({ secret: SECRET, body: '{}' }))
    for (const path of ['deliveries/1', 'export.ndjson', 'export.har']) {
      const text = await (await ask(path)).text()
      const searched = `${text}\n${decoded(text)}`
      for (const part of parts) expect(searched).not.toContain(part)
    }
  },
)

it.each([
  ['cookie', 'pin=1234; session=abcdefghijklmnopqrstuvwxyz', '(44 characters hidden)'],
  ['Set-Cookie', 'pin=1234; Path=/; Max-Age=86400', '(31 characters hidden)'],
  ['X-Api_Key', 'short', '(5 characters hidden)'],
  ['Cf-Access-Jwt-Assertion', 'a.b.c', '(5 characters hidden)'],
  ['Stripe-Signature', `t=1,v1=${'a'.repeat(64)}`, 't=1,v1=(64 characters hidden)'],
  ['X-GitHub-Event', 'push', 'push'],
])('the page shows the header %s: %s as %s', (name, value, shown) => {
  expect(maskFor([], []).headers([[name, value]])).toEqual([[name, shown]])
})

it('the header that names an event is shown, even if its name says token', () => {
  const header = ['I-Twilio-Idempotency-Token', '4a1e7c7d-6f0a-4a5e-9a5e-000000000001'] as const
  expect(maskFor([], [], ['i-twilio-idempotency-token']).headers([header])).toEqual([header])
  expect(maskFor([], []).headers([header])).not.toEqual([header])
})

it("a stranger's secrets cannot break the page, whatever they say", async () => {
  const { ask, deliver } = await startInspector(['--scheme', 'asana'], {})
  const brought = ['********', '"headers":', '"checks":[', 'deliveries']
  for (const secret of brought)
    await deliver({ method: 'POST', headers: { 'x-hook-secret': secret }, body: '' })
  await deliver({ method: 'POST', headers: { 'content-type': 'application/json' }, body: '"**********"' })
  const answer = await ask(`deliveries/${brought.length + 1}`)
  expect(await answer.json()).toMatchObject({ headers: expect.any(Array), checks: expect.any(Array) })
  expect(await (await ask('export.har')).json()).toMatchObject({ log: { entries: expect.any(Array) } })
})

it.each(['v1,whsec_', 'whsec_', ''])('a secret with %s and padding is hidden without them, too', (prefix) => {
  const key = Buffer.alloc(25, 'k').toString('base64')
  const mask = maskFor([`${prefix}${key}`], [])
  for (const shown of [prefix + key, `whsec_${key}`, key, key.replace(/=+$/, '')]) {
    expect(mask.text(`is ${shown} here`)).not.toContain(key.slice(0, 20))
    expect(`${Buffer.from(mask.bytes(Buffer.from(shown)))}`).not.toContain(key.slice(0, 20))
  }
})
