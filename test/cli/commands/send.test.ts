import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { portOf } from '../../../cli/listen/server.ts'
import { Log } from '../../support/log.ts'
import { selfSigned } from '../../support/self-signed.ts'
import { runCommand } from '../shared-process.ts'
import { SECRET, temporaryFile } from '../support.ts'

const env = { HOOKGATE_SECRET: SECRET }

async function receiver(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // only a pipe's address is a string
  return `http://127.0.0.1:${port}`
}

const hostOf = (url: string) => new URL(url).host

test('nobody there: one line, exit code 1', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // as above
  server.close()
  await once(server, 'close')
  const ended = await runCommand(['send', `http://127.0.0.1:${port}/x`, '--data', '{}'], { env })
  expect(ended).toEqual({
    code: 1,
    stdout: '',
    stderr: `hookgate send: nothing listens on 127.0.0.1:${port}: start your app, or correct the host and the port\n`,
  })
})

test('a connection that ends early: one line, exit code 1', async () => {
  const url = await receiver((request) => request.socket.destroy())
  const ended = await runCommand(['send', url, '--data', '{}'], { env })
  expect(ended).toMatchObject({ code: 1, stdout: '' })
  expect(ended.stderr).toBe(
    `hookgate send: ${hostOf(url)} closed the connection before it answered: see the logs of the server\n`,
  )
})

test('hookgate send reports an answer that breaks off in one line, with exit code 1', async () => {
  const url = await receiver((_request, response) => {
    response.writeHead(200, { 'content-length': 10 }).write('half', () => response.destroy())
  })
  const ended = await runCommand(['send', url, '--data', '{}'], { env })
  expect(ended).toMatchObject({ code: 1, stdout: '' })
  expect(ended.stderr).toContain('closed the connection before it answered')
})

test('https to a server without TLS prints one line that says so, exit code 1', async () => {
  const url = (await receiver((_request, response) => response.end())).replace('http:', 'https:')
  const ended = await runCommand(['send', url, '--data', '{}'], { env })
  expect(ended).toEqual({
    code: 1,
    stdout: '',
    stderr: `hookgate send: ${hostOf(url)} does not speak TLS there: write http://, or correct the port\n`,
  })
})

test('https to a server with a certificate of its own prints one line that says what Node needs', async () => {
  const server = createTlsServer(selfSigned()).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const url = `https://127.0.0.1:${portOf(server)}`
  const ended = await runCommand(['send', url, '--data', '{}'], { env })
  expect(ended.stderr).toBe(
    `hookgate send: the certificate of ${hostOf(url)} is self-signed: get one from a CA that senders trust, or set NODE_EXTRA_CA_CERTS to the file of its CA\n`,
  )
})

test('a redirect is not followed: the signature is for one address', async () => {
  let requests = 0
  const url = await receiver((_request, response) => {
    requests += 1
    response.writeHead(307, { location: '/elsewhere' }).end()
  })
  const ended = await runCommand(['send', url, '--data', '{}'], { env })
  expect(ended).toMatchObject({ code: 1, stdout: '307 Temporary Redirect\n' })
  expect(ended.stderr).toMatch(/^hint: redirects are not followed/)
  expect(requests).toBe(1)
})

test("a receiver's answer cannot control the terminal", async () => {
  const url = await receiver((_request, response) => {
    response.writeHead(200).end('\u001b[2J\u009b2J\u202eevil\r\nnext\tline')
  })
  const plain = await runCommand(['send', url, '--data', '{}'], { env })
  expect(plain.stdout).toBe('200 OK\n\\u001b[2J\\u009b2J\\u202eevil\\u000d\nnext\tline\n')
  const json = await runCommand(['send', url, '--data', '{}', '--json'], { env })
  expect(json.stdout).toMatch(/^[\x20-\x7e]+\n$/)
  expect(JSON.parse(json.stdout).body).toBe('\u001b[2J\u009b2J\u202eevil\r\nnext\tline')
})

test('an endless answer is cut off, and its beginning is printed', async () => {
  const url = await receiver((_request, response) => {
    const more = () => response.write('x'.repeat(65_536), (error) => error || more())
    more()
  })
  const ended = await runCommand(['send', url, '--data', '{}'], { env })
  expect(ended.code).toBe(0)
  expect(ended.stdout).toMatch(/^200 OK\nx{2000}… \(63536 more characters: --json prints them\)\n$/)
  const json = await runCommand(['send', url, '--data', '{}', '--json'], { env })
  expect(JSON.parse(json.stdout).body).toHaveLength(65_536)
})

test.each([204, 205])(
  'an endless answer of status %i, which has no body, ends the connection',
  async (status) => {
    const hungUp = new Log<number>()
    const url = await receiver(({ socket }) => {
      const more = () => socket.write('1\r\nx\r\n', (error) => error || setImmediate(more))
      socket.on('error', () => {}).on('close', () => hungUp.add(status))
      socket.write(`HTTP/1.1 ${status} Bare\r\nTransfer-Encoding: chunked\r\n\r\n`)
      more()
    })
    const ended = await runCommand(['send', url, '--data', '{}'], { env })
    expect(ended).toEqual({ code: 0, stdout: `${status} Bare\n`, stderr: '' })
    await hungUp.reaches(1)
  },
)

test('any status outside 200 to 299 is exit code 1, and common ones are explained', async () => {
  const url = await receiver((request, response) => {
    response.writeHead(Number(request.url?.slice(1))).end()
  })
  for (const [status, hint] of [
    [401, /the secrets differ, .*, or the receiver expects another scheme/],
    [403, /address/],
    [404, /path/],
    [409, /success/],
    [503, /later/],
  ] as const) {
    const ended = await runCommand(['send', `${url}/${status}`, '--data', '{}'], { env })
    expect(ended.code).toBe(1)
    expect(ended.stderr).toMatch(hint)
    expect(ended.stderr.split('\n')).toHaveLength(2)
  }
})

test.each([
  [401, 'hint: this is expected: --tamper changed the body after it was signed\n'],
  [200, /^hint: the changed body was accepted: [^\n]+\n$/],
  [503, /^hint: the receiver could not decide/],
])('after --tamper, the hint judges a %i', async (status, hint) => {
  const url = await receiver((_request, response) => response.writeHead(status).end())
  const ended = await runCommand(['send', url, '--data', '{}', '--tamper'], { env })
  expect(ended).toEqual({
    code: status === 200 ? 0 : 1,
    stdout: expect.any(String),
    stderr: expect.stringMatching(hint),
  })
})

test.each([
  [400, 'payload_invalid', "hint: the payload does not match the receiver's schema"],
  [400, 'header_missing', "hint: the receiver expects another sender's headers; give its sender as --scheme"],
  [
    400,
    'body_not_json',
    'hint: the body must be JSON in UTF-8; --data takes the body itself, --file the name',
  ],
  [503, 'upstream_unreachable', 'hint: the receiver works, but cannot reach the app behind it'],
  [400, 'timestamp_out_of_range', "hint: the signed time and the receiver's clock are too far apart"],
  [504, 'upstream_unknown', 'hint: the app behind the receiver gave no complete response'],
])("a receiver's own code is explained before its status: %i %s", async (status, code, hint) => {
  const url = await receiver((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/problem+json' })
    response.end(JSON.stringify({ status, title: 'a title', code }))
  })
  const ended = await runCommand(['send', url, '--data', '{}'], { env })
  expect(ended.stderr).toContain(hint)
})

test('sign prints what send would send; --curl quotes for a shell', async () => {
  const headers = await runCommand(['sign', '--data', '{}', '--timestamp', '1790000000'], { env })
  expect(headers.stdout).toMatch(
    /^Content-Type: application\/json\nWebhook-Timestamp: 1790000000\nWebhook-Event-Id: \S{36}\nWebhook-Signature: \S{43}\n$/,
  )
  const inline = await runCommand(['sign', 'http://127.0.0.1/x', '--data', `"it's"`, '--curl'], { env })
  expect(inline.stdout).toMatch(/^curl --include .* --data-raw '"it'\\''s"' http:\/\/127.0.0.1\/x\n$/)
  const file = await temporaryFile('body.json', '{}')
  const withFile = await runCommand(['sign', 'http://127.0.0.1/x', '--file', file, '--curl'], { env })
  expect(withFile.stdout).toContain(` --data-binary @${file} `)
})

test.each(['send', 'sign', 'verify', 'listen'])(
  '%s says what is wrong with a secret that the sender cannot have made',
  async (command) => {
    const args = command === 'send' ? ['http://127.0.0.1:9000/x'] : []
    const body = command === 'send' || command === 'sign' ? ['--data', '{}'] : []
    const ended = await runCommand([command, ...args, '--scheme', 'stripe', ...body], {
      env: { HOOKGATE_SECRET: 'we_1Nabc' },
      input: '{}',
    })
    expect(ended.code).toBe(2)
    expect(ended.stderr).toMatch(/is the ID of an endpoint; for Stripe, pass the signing secret/)
    expect(ended.stderr).not.toContain('1Nabc')
  },
)

test('send --scheme writes a signature into the query of the URL, and sign prints it as a curl command', async () => {
  const seen: (string | undefined)[] = []
  const url = await receiver((request, response) => {
    seen.push(request.url)
    response.end('{}')
  })
  const signed = createHmac('sha256', SECRET).update('[1]').digest('hex')
  const given = ['--scheme', 'pandadoc', '--data', '[1]']
  expect(await runCommand(['send', `${url}/hook?a=1`, ...given], { env })).toMatchObject({ code: 0 })
  expect(seen).toEqual([`/hook?a=1&signature=${signed}`])
  const { stdout } = await runCommand(['sign', `${url}/hook?signature=old`, '--curl', ...given], { env })
  expect(stdout).toContain(`${url}/hook?signature=${signed}'`)
  const { code, stderr } = await runCommand(['sign', `${url}/hook`, ...given], { env })
  expect([code, stderr]).toEqual([2, expect.stringContaining('add --curl')])
})
