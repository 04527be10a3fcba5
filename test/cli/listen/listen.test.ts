import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { signHmac } from '../../../src/testing/index.ts'
import { hookgate, PATH, SECRET, shell, startListener, temporaryFile } from '../support.ts'

const env = { HOOKGATE_SECRET: SECRET }

/** Sends text over a socket and reads until the listener closes. */
async function exchange(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => {})
  socket.write(text)
  await once(socket, 'close')
  return Buffer.concat(chunks).toString()
}

const OTHER_PATHS = [
  `${PATH}/`,
  `${PATH}2`,
  PATH.replace('demo', 'Demo'),
  PATH.replace('demo', '%64emo'),
  PATH.replace('demo', 'demo%00'),
  PATH.replace('/v1', '/V1'),
  `/${PATH}`,
  `/x/..${PATH}`,
  '/',
  '*',
]

test('every path is answered, so the path at the sender need not change, and none is printed', async () => {
  const { headers } = await signHmac({ secret: SECRET, body: '{}' })
  const signed = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const listener = await startListener(['--json'], { env })
  for (const [index, path] of [...OTHER_PATHS, '/\u001b[2J', 'http://elsewhere.example/x'].entries()) {
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`
    const reply = await exchange(listener.url, `${head}${signed.join('')}Content-Length: 2\r\n\r\n{}`)
    const status = path.includes('\u001b') ? 400 : index === 0 ? 200 : 409
    expect(reply, path).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  }
  await listener.deliveries(OTHER_PATHS.length + 1)
  expect(listener.stdout.text + listener.stderr.text).not.toMatch(/elsewhere|demo%00|\p{Cc}(?<!\n)/u)
})

test('strangers that look around get refusals, and nothing of the inspector', async () => {
  const listener = await startListener(['--json', '--ui', '--ui-port', '0'], { env })
  const [, origin = ''] = /^Inspector: (\S+)#/m.exec(listener.stderr.text) ?? []
  expect(new URL(origin).port).not.toBe(new URL(listener.url).port)
  for (const path of ['/', '/favicon.ico', '/page.js', '/api/stream', '/api/deliveries/1', '/.env']) {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']) {
      const answer = await fetch(new URL(path, listener.url), { method })
      expect(answer.status, `${method} ${path}`).toBe(400)
      if (method !== 'HEAD') expect(await answer.json()).toMatchObject({ code: 'method_not_post' })
    }
  }
  const traced = await exchange(listener.url, 'CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n')
  expect(traced).toBe('')
})

test('with --path, any other path gets 404, and is not printed', async () => {
  const listener = await startListener(['--json', '--path', PATH], { env })
  for (const path of OTHER_PATHS) {
    const reply = await exchange(
      listener.url,
      `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    )
    const [head, body] = reply.split('\r\n\r\n')
    expect(head, path).toMatch(/^HTTP\/1.1 404 Not Found\r\ncontent-type: application\/problem\+json\r\n/)
    expect(body, path).toBe('{"status":404,"title":"Not Found","code":"listener_unknown"}')
  }
  const lines = await listener.deliveries(OTHER_PATHS.length)
  const unknown = {
    listener: null,
    eventId: null,
    verdict: 'refused',
    reason: 'listener_unknown',
    status: 404,
  }
  expect(lines.map((line) => JSON.parse(line))).toMatchObject(OTHER_PATHS.map(() => unknown))
})

test('--health answers GET and HEAD of that path alone, says nothing else, and prints nothing', async () => {
  const listener = await startListener(['--json', '--health', '/healthz'], { env })
  const ask = (line: string) =>
    exchange(listener.url, `${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  for (const line of ['GET /healthz', 'GET /healthz?verbose=1']) {
    const [head = '', body] = (await ask(line)).split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1.1 200 OK\r\ncontent-type: text\/plain\r\ncache-control: no-store\r\n/)
    expect(body).toContain('ok\n')
  }
  expect(await ask('HEAD /healthz')).toMatch(/^HTTP\/1.1 200 OK\r\n.*\r\n\r\n$/s)
  const others = ['POST /healthz', 'GET /healthz/', 'GET /', 'GET /Healthz']
  for (const line of others) expect(await ask(line), line).toMatch(/^HTTP\/1.1 40\d /)
  expect(await listener.deliveries(others.length)).toHaveLength(others.length)
})

test.each([
  [['--health', 'healthz'], '--health takes a path'],
  [['--health', '/hooks', '--path', '/hooks'], '--health takes another path than --path'],
])('%j is refused', async (args, problem) => {
  const { code, stderr } = await hookgate(['listen', '--port', '0', ...args], { env })
  expect([code, stderr]).toEqual([2, expect.stringContaining(problem)])
})

test.each([
  ['twilio', 'whose events may be a GET', ['--public-url', 'https://receiver.example/']],
  ['meta', 'whose handshake is a GET', []],
  ['trello', 'whose handshake is a HEAD', ['--public-url', 'https://receiver.example/']],
])('--health needs --path for %s, %s', async (scheme, _, more) => {
  const args = ['--port', '0', '--scheme', scheme, ...more, '--health', '/']
  const { code, stderr } = await hookgate(['listen', ...args], { env })
  expect([code, stderr]).toEqual([2, expect.stringContaining('--health needs --path PATH')])
  const listener = await startListener(['--path', '/in', ...args.slice(2)], { env })
  expect((await fetch(new URL('/', listener.url))).status).toBe(200)
  expect((await fetch(listener.url)).status).not.toBe(200)
})

test('--health needs no --path for a sender that only posts', async () => {
  const listener = await startListener(['--scheme', 'stripe', '--health', '/'], { env })
  expect((await fetch(listener.url)).status).toBe(200)
  expect((await fetch(listener.url, { method: 'POST' })).status).not.toBe(200)
})

test('a listener id is percent-encoded in the path of the printed URL', async () => {
  const listener = await startListener(['--listener-id', 'a b/é'], { env })
  expect(new URL(listener.url).pathname).toBe('/api/v1/webhooks/incoming/a%20b%2F%C3%A9')
  expect((await shell(listener.command, { env })).code).toBe(0)
  const awkward = await startListener(['--listener-id', "it's (*)!"], { env })
  expect((await shell(awkward.command, { env })).code).toBe(0)
})

test.each([
  ['/webhooks/stripe', '/webhooks/stripe'],
  ['/a b/é', '/a%20b/%C3%A9'],
  ['/x/../y', '/y'],
  ['//host', '//host'],
])('--path %s is answered as clients send it, whatever the query', async (given, path) => {
  const listener = await startListener(['--path', given], { env })
  expect(listener.url).toBe(new URL(listener.url).origin + path)
  expect((await shell(listener.command, { env })).code).toBe(0)
  const signed = await signHmac({ secret: SECRET, body: '{}' })
  expect((await fetch(`${listener.url}?a=1`, signed)).status).toBe(200)
  expect((await fetch(`${listener.url}/`, signed)).status).toBe(404)
})

test.each([[''], ['webhooks'], ['http://x/y'], ['/a?b'], ['/a#b']])(
  '--path %j is refused with an example',
  async (path) => {
    const { code, stderr } = await hookgate(['listen', `--path=${path}`])
    expect(code).toBe(2)
    expect(stderr).toContain('--path takes a path without host and query, e.g. /webhooks/stripe')
  },
)

test('a refusal says what to do next, once', async () => {
  const listener = await startListener(['--path', PATH], { env })
  const unsigned = { method: 'POST', body: '{}' }
  for (const path of ['/webhooks/stripe', '/other', PATH, PATH]) {
    await fetch(new URL(path, listener.url), unsigned)
  }
  await listener.deliveries(4)
  await listener.stop()
  const hints = listener.stderr.text.match(/^ {2}.*$/gm)
  expect(hints).toEqual([
    `  only --path ${PATH} is answered: enter it at the sender, or leave --path out`,
    '  to see why a delivery is refused, add --explain',
  ])
})

test("Meta's subscription is refused with a hint, because listen has no verify token", async () => {
  const listener = await startListener(['--scheme', 'meta'], { env })
  const query = '?hub.mode=subscribe&hub.verify_token=ours&hub.challenge=1'
  expect((await fetch(listener.url + query)).status).toBe(403)
  await listener.deliveries(1)
  await listener.stop()
  expect(listener.stderr.text).toContain(
    '  this handshake is refused: if the sender has a verify token, give it as --verify-token-file or HOOKGATE_VERIFY_TOKEN\n',
  )
})

test("Meta's subscription is answered if listen has the verify token, from a file or the environment", async () => {
  const file = await temporaryFile('token.txt', 'ours\n')
  const ways = [
    startListener(['--scheme', 'meta', '--verify-token-file', file], { env }),
    startListener(['--scheme', 'meta'], { env: { ...env, HOOKGATE_VERIFY_TOKEN: 'ours' } }),
  ]
  for (const { url } of await Promise.all(ways)) {
    const subscribe = (token: string) =>
      fetch(`${url}any/path?hub.mode=subscribe&hub.verify_token=${token}&hub.challenge=1234`)
    expect(await (await subscribe('ours')).text()).toBe('1234')
    expect((await subscribe('other')).status).toBe(403)
  }
})

test("Slack's check of the certificate is answered, and reported as a handshake", async () => {
  const listener = await startListener(['--scheme', 'slack', '--json'], { env })
  const body = new URLSearchParams({ ssl_check: '1', token: 'a1B2' })
  expect((await fetch(listener.url, { method: 'POST', body })).status).toBe(200)
  expect((await fetch(`${listener.url}?ssl_check=1`)).status).toBe(200)
  expect((await fetch(`${listener.url}?ssl_check=0`)).status).toBe(405)
  const verdicts = (await listener.deliveries(3)).map((line) => JSON.parse(`${line}`).verdict)
  expect(verdicts).toEqual(['handshake', 'handshake', 'refused'])
  await listener.stop()
})

test('the token that Notion brings is printed once without a secret, with what to do', async () => {
  const listener = await startListener(['--scheme', 'notion', '--json'])
  const send = (token: string, secret?: string) => {
    const body = JSON.stringify({ verification_token: token })
    const mac = createHmac('sha256', secret ?? '')
      .update(body)
      .digest('hex')
    const headers = { 'content-type': 'application/json', 'x-notion-signature': `sha256=${mac}` }
    return fetch(listener.url, { method: 'POST', body, ...(secret !== undefined && { headers }) })
  }
  for (const secret of [undefined, 'token_of_notion', 'token_of_notion']) {
    expect((await send('token_of_notion', secret)).status).toBe(200)
  }
  expect((await send('token_of_another', 'secret')).status).toBe(401)
  for (let index = 0; index < 20; index += 1) await send(`of_a_stranger_${index}_`)
  await listener.deliveries(24)
  await listener.stop()
  const { text } = listener.stderr
  expect(text.match(/token_of_notion/g)).toHaveLength(1)
  expect(text).toMatch(/verification token of the subscription.*: token_of_notion\n.*HOOKGATE_SECRET/)
  expect(text).not.toContain('token_of_another')
  expect(text.match(/of_a_stranger/g)?.length).toBeLessThan(10)
  expect(text.match(/no more.*another/gi)).toHaveLength(1)
  expect(listener.stdout.text).not.toContain('token_of_notion')
})

test('no token is taken with a secret, and none is printed', async () => {
  const listener = await startListener(['--scheme', 'notion'], { env })
  const body = '{"verification_token":"token_of_a_stranger"}'
  const headers = { 'content-type': 'application/json' }
  expect((await fetch(listener.url, { method: 'POST', headers, body })).status).toBe(401)
  await listener.deliveries(1)
  await listener.stop()
  expect(listener.stderr.text + listener.stdout.text).not.toContain('token_of_a_stranger')
})

test('nothing of a refused request is printed except a proven event ID', async () => {
  const listener = await startListener([], { env })
  const evil = '\u009b31mEVIL'
  await exchange(
    listener.url,
    `POST ${PATH} HTTP/1.1\r\nHost: EVIL\r\nConnection: close\r\nContent-Type: ${evil}\r\nWebhook-Event-Id: ${evil}\r\nWebhook-Timestamp: ${evil}\r\nContent-Length: 4\r\n\r\nEVIL`,
  )
  await listener.deliveries(1)
  expect(listener.stdout.text + listener.stderr.text).not.toMatch(/EVIL|\u009b|\[31m/)
})

test('a sender that hangs up gets a line too, without a status', async () => {
  const listener = await startListener(['--json', '--explain'], { env })
  const { hostname, port } = new URL(listener.url)
  const socket = connect(Number(port), hostname)
  socket.write(`POST ${PATH} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n`)
  await once(socket, 'data') // after 100 Continue, the listener waits for the body
  socket.destroy()
  const [line = ''] = await listener.deliveries(1)
  const { listener: id, verdict, reason, status } = JSON.parse(line)
  expect([id, verdict, reason, status]).toEqual(['demo', 'refused', 'body_incomplete', null])
  await listener.stderr.waitFor(/the connection ended before the body was complete/)
})

test('--allow-cidr refuses other networks with 403', async () => {
  const args = ['--allow-cidr', '192.0.2.0/24', '--allow-cidr', '2001:db8::/32']
  const listener = await startListener(args, { env })
  expect(listener.stdout.text).toContain('Next, have the sender call that URL.') // this machine may not send
  const sent = await hookgate(['send', listener.url, '--data', '{}'], { env })
  expect(sent).toMatchObject({ code: 1 })
  expect(sent.stdout).toContain('"code":"source_ip_not_allowed"')
  const here = await startListener(['--allow-cidr', '127.0.0.0/8'], { env })
  expect((await shell(here.command, { env })).code).toBe(0)
})

test('--tolerance and --max-body move the limits', async () => {
  const listener = await startListener(['--tolerance', '1000', '--max-body', '20', '--explain'], { env })
  expect((await shell(`${listener.command} --skew -900`, { env })).code).toBe(0)
  const long = await hookgate(['send', listener.url, '--data', `"${'x'.repeat(19)}"`], { env })
  expect(long.stdout).toContain('"code":"body_too_large"')
  await listener.stderr.waitFor(/the body is over 20 bytes/)
})

test('Expect: 100-continue is granted, but not to a body that is announced as too large', async () => {
  const listener = await startListener(['--path', PATH], { env })
  const { headers, body } = await signHmac({ secret: SECRET, body: '{}' })
  const signed = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `POST ${PATH} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\n${signed.join('')}`
  const large = await exchange(listener.url, `${head}Content-Length: 65537\r\n\r\n`)
  expect(large).toMatch(/^HTTP\/1.1 400 /)
  const other = await exchange(listener.url, `${head.replace('demo', 'x')}Content-Length: 2\r\n\r\n`)
  expect(other).toMatch(/^HTTP\/1.1 404 /)
  const { length } = body
  const small = await exchange(listener.url, `${head}Content-Length: ${length}\r\n\r\n${Buffer.from(body)}`)
  expect(small).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK\r\n/)
})

test('a port in use ends with a clear message and exit code 1', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // only a pipe's address is a string
  const ended = await hookgate(['listen', '--port', `${port}`])
  expect(ended).toMatchObject({ code: 1, stdout: '' })
  expect(ended.stderr).toBe(
    `hookgate listen: 127.0.0.1 port ${port}: the port is in use; choose another with --port, or --port 0 for any free one\n`,
  )
})

test('even the banner stays off standard output with --json', async () => {
  const listener = await startListener(['--json'])
  expect(listener.stdout.text).toBe('')
  expect(listener.stderr.text).toContain(`Listening on ${listener.url}\n`)
})
