import { connect, type NetConnectOpts, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { deliver, publicOnly } from '../../src/sender/index.ts'
import { rawEndpoint } from './endpoint.ts'

const EVENT = { id: crypto.randomUUID(), body: '{}' }
const SECRET = 'sender-0123456789-abcdefghijklmnop'
const DEADLINE_SECONDS = 1
/** Longer than a test may take: nothing but the endpoint ends the attempt. */
const PATIENT_SECONDS = 300
const MOST_BYTES = 65_536
const GIGABYTE = 1_073_741_824

/** Makes one attempt, and counts the bytes it read from the network. */
async function attemptAt(url: string, timeoutSeconds: number) {
  let socket: Socket | undefined
  const open = (options: NetConnectOpts) => {
    socket = connect(options)
    return socket
  }
  const agents = publicOnly({ allow: ['127.0.0.1/32'], connect: open })
  const startedAt = performance.now()
  const attempt = await deliver({ url, secret: SECRET }, EVENT, { agents, timeoutSeconds })
  const tookMs = performance.now() - startedAt
  await new Promise((resolve) => setImmediate(resolve))
  return { attempt, tookMs, bytesRead: socket?.bytesRead ?? 0, isClosed: socket?.destroyed }
}

/** Writes as long as the client reads. */
function flood(socket: Socket, chunk: string): void {
  const write = () => {
    while (!socket.destroyed && socket.write(chunk));
  }
  socket.on('drain', write)
  write()
}

const HEAD = 'HTTP/1.1 200 OK\r\n'
const KILOBYTE = 'x'.repeat(1024)

type Endpoint = readonly [what: string, answer: (socket: Socket) => void, expected: object]

const ENDING: readonly Endpoint[] = [
  [
    'streams forever',
    (socket) => {
      socket.write(`${HEAD}\r\n`)
      flood(socket, KILOBYTE)
    },
    { outcome: 'done', status: 200 },
  ],
  [
    'sends 1 GB',
    (socket) => {
      socket.write(`${HEAD}content-length: ${GIGABYTE}\r\n\r\n`)
      flood(socket, KILOBYTE.repeat(64))
    },
    { outcome: 'done', status: 200 },
  ],
  [
    'streams chunks forever',
    (socket) => {
      socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\n`)
      flood(socket, `400\r\n${KILOBYTE}\r\n`)
    },
    { outcome: 'done', status: 200 },
  ],
  [
    'sends headers forever',
    (socket) => {
      socket.write(HEAD)
      flood(socket, `x: ${KILOBYTE}\r\n`)
    },
    { outcome: 'again', reason: 'answer_not_http' },
  ],
  [
    'sends one endless header',
    (socket) => {
      socket.write(`${HEAD}x: `)
      flood(socket, KILOBYTE)
    },
    { outcome: 'again', reason: 'answer_not_http' },
  ],
  [
    'speaks no HTTP',
    (socket) => socket.write('SSH-2.0-OpenSSH_9.2\r\n'),
    { outcome: 'again', reason: 'answer_not_http' },
  ],
  ['hangs up', (socket) => socket.destroy(), { outcome: 'again', reason: 'connection_failed' }],
  [
    'hangs up in the body: its status counts',
    (socket) => socket.end(`${HEAD}content-length: 10\r\n\r\nabc`),
    { outcome: 'done', status: 200, answer: 'abc' },
  ],
  [
    'changes the protocol',
    (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    { outcome: 'again', reason: 'connection_failed' },
  ],
  [
    'repeats 103 Early Hints forever',
    (socket) => flood(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(20)),
    { outcome: 'again', reason: 'answer_not_http' },
  ],
]

const STALLING: readonly Endpoint[] = [
  ['says nothing', () => {}, { outcome: 'again', reason: 'timed_out' }],
  [
    'stalls in the headers',
    (socket) => socket.write(`${HEAD}x: `),
    { outcome: 'again', reason: 'timed_out' },
  ],
  [
    'stalls in the body: its status counts',
    (socket) => socket.write(`${HEAD}content-length: 10\r\n\r\nabc`),
    { outcome: 'done', status: 200, answer: 'abc' },
  ],
  [
    'stalls in the body of a failure: its status counts',
    (socket) => socket.write('HTTP/1.1 500 Oops\r\nretry-after: 9\r\ncontent-length: 10\r\n\r\nabc'),
    { outcome: 'again', status: 500, retryAfterMs: 9000 },
  ],
]

describe('a hostile endpoint', () => {
  it.each(ENDING)('an endpoint that %s ends the attempt before the deadline', async (_, answer, expected) => {
    const { attempt, isClosed } = await attemptAt(await rawEndpoint(answer), PATIENT_SECONDS)
    expect(attempt).toMatchObject(expected)
    expect(isClosed).toBe(true)
    expect(attempt.answer?.length ?? 0).toBeLessThanOrEqual(4096)
  })

  it.each(STALLING)('an endpoint that %s takes until the deadline', async (_, answer, expected) => {
    const { attempt, tookMs, isClosed } = await attemptAt(await rawEndpoint(answer), DEADLINE_SECONDS)
    expect(attempt).toMatchObject(expected)
    expect(tookMs).toBeGreaterThan(DEADLINE_SECONDS * 900)
    expect(isClosed).toBe(true)
  })

  it.each([...ENDING, ...STALLING])('an endpoint that %s is read up to 64 KB', async (_, answer) => {
    const { bytesRead } = await attemptAt(await rawEndpoint(answer), DEADLINE_SECONDS)
    expect(bytesRead).toBeLessThanOrEqual(MOST_BYTES)
  })
})
