import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openSync } from 'node:fs'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { signHmac } from '../../../src/testing/index.ts'
import { MAIN, PATH, SECRET, startListener } from '../support.ts'

const env = { ...process.env, HOOKGATE_SECRET: SECRET }

/** Sends bytes and returns the response. */
async function exchange(url: string, bytes: string | Uint8Array): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk
  })
  socket.on('error', () => {})
  socket.write(bytes)
  await once(socket, 'close')
  return text
}

const EMPTY = `POST ${PATH} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`

test('a closed standard error does not end it: deliveries go on', async () => {
  const child = spawn(process.execPath, [MAIN, 'listen', '--port', '0', '--json', '--explain'], { env })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [banner] = await once(child.stderr.setEncoding('utf8'), 'data')
  const [url = ''] = /http:\S+/.exec(banner) ?? []
  child.stderr.destroy()
  await once(child.stderr, 'close')
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  for (let sent = 0; sent < 3; sent += 1) expect(await exchange(url, EMPTY)).toMatch(/^HTTP\/1.1 400 /)
  await expect.poll(() => printed.match(/header_missing/g)).toHaveLength(3)
  expect(child.exitCode).toBe(null)
})

test.each([
  ['refused', SECRET.replace(/.$/, '_'), 1],
  ['accepted', SECRET, 0],
])('a closed standard output leaves the exit code of verify: %s', async (_, secret, expected) => {
  const { headers } = await signHmac({ secret, body: '{}' })
  const lines = Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`])
  const child = spawn(process.execPath, [MAIN, 'verify', '--explain', ...lines], { env })
  child.stdout.destroy()
  let told = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    told += text
  })
  child.stdin.end('{}')
  const [code] = await once(child, 'close')
  expect([code, told]).toEqual([expected, ''])
})

const FULL = '/dev/full'
const NO_FULL = existsSync(FULL) ? '' : ` (skipped: this system has no ${FULL})`

test.skipIf(NO_FULL)(
  `a full disk under its output is told in a sentence, with exit code 1${NO_FULL}`,
  async () => {
    const output = openSync(FULL, 'w')
    const child = spawn(process.execPath, [MAIN, 'listen', '--port', '0'], {
      env,
      stdio: ['ignore', output, 'pipe'],
    })
    let told = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      told += text
    })
    const [code] = await once(child, 'close')
    expect(told).toBe('hookgate: cannot write to standard output (ENOSPC)\n')
    expect(code).toBe(1)
  },
)

test.each([
  [
    'https to its http',
    Buffer.from('16030100a5010000a103', 'hex'),
    '400 Bad Request',
    /speaks TLS, but this is http/,
  ],
  [
    'headers over 16 KB',
    `${EMPTY.slice(0, -2)}X: ${'EVIL'.repeat(5000)}\r\n\r\n`,
    '431 Request',
    /headers are over 16 KB/,
  ],
  [
    'two lengths',
    `${EMPTY.slice(0, -2)}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`,
    '400 Bad',
    /not an HTTP request \(HPE_/,
  ],
  [
    'a length beside chunks',
    `${EMPTY.slice(0, -2)}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    '400 Bad',
    /not an HTTP request \(HPE_/,
  ],
  ['no HTTP at all', 'EVIL\u001b[31m\r\n\r\n', '400 Bad', /not an HTTP request \(HPE_/],
])(
  '%s: refused as Node does, and reported although there is no delivery',
  async (_, bytes, status, reason) => {
    const listener = await startListener([], { env })
    const printed = listener.stdout.text
    const reply = await exchange(listener.url, bytes)
    expect(reply).toMatch(/^HTTP\/1.1 \d+ .*\r\nConnection: close\r\n\r\n$/)
    expect(reply).toContain(` ${status}`)
    await listener.stderr.waitFor(reason)
    expect(listener.stdout.text).toBe(printed)
    for (const byte of ['EVIL', '\u001b']) expect(listener.stderr.text).not.toContain(byte)
    expect(await exchange(listener.url, EMPTY)).toMatch(/^HTTP\/1.1 400 .*\r\ncontent-type/)
  },
)

test('two hundred connections without HTTP print a few lines a second, and a count of the rest', async () => {
  const listener = await startListener([], { env })
  await Promise.all(Array.from({ length: 200 }, () => exchange(listener.url, 'no HTTP\r\n\r\n')))
  await listener.stderr.waitFor(/and \d+ more like this within a second/)
  const told = listener.stderr.text.match(/refused a connection/g) ?? []
  expect(told.length).toBeGreaterThan(0)
  const counted = [...listener.stderr.text.matchAll(/and (\d+) more like this/g)].map(([, number]) =>
    Number(number),
  )
  // Each was either told or counted, and most were counted.
  expect(told.length).toBeLessThan(Math.max(...counted, 0) + told.length)
})

test('a connection that sends garbage after its answer is reported again', async () => {
  const listener = await startListener([], { env })
  const { port } = new URL(listener.url)
  const socket = connect(Number(port), '127.0.0.1', () =>
    socket.write(EMPTY.replace('Connection: close', 'Content-Length: 0')),
  )
  await once(socket, 'data')
  socket.write('no HTTP\r\n\r\n')
  await listener.stderr.waitFor(/refused a connection/)
  socket.destroy()
})

test('a body that breaks off within its chunks has its line, and no other message', async () => {
  const listener = await startListener(['--json'], { env })
  const head = `POST ${PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked`
  expect(await exchange(listener.url, `${head}\r\n\r\n5\r\n{"a":\r\nnonsense\r\n`)).toMatch(
    /^HTTP\/1.1 400 Bad Request\r\n/,
  )
  const [line = ''] = await listener.deliveries(1)
  expect(JSON.parse(line)).toMatchObject({ reason: 'body_incomplete' })
  expect(listener.stderr.text).not.toContain('refused before')
})
