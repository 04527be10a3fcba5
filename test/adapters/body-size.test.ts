import { expect } from 'vitest'
import {
  ACCEPTED,
  type Client,
  closing,
  describeMatrix,
  type Row,
  refused,
  type Wire,
  wireOf,
} from '../support/describe-matrix.ts'
import {
  exchange,
  type Header,
  headOf,
  inChunks,
  RawConnection,
  type RawRequest,
  toBytes,
} from '../support/raw-http.ts'

const LIMIT = 65_536
const CHUNKED: readonly Header[] = [['Transfer-Encoding', 'chunked']]
const TOO_LARGE = refused(400, 'body_too_large', closing)

/** A JSON string of exactly this many bytes. */
function jsonOf(bytes: number): string {
  return `"${'x'.repeat(bytes - 2)}"`
}

/** The request in chunks, without the last one, which would end it. */
function withoutEnd(request: RawRequest): Buffer {
  return Buffer.concat([headOf(request, CHUNKED), inChunks(request.body, 1000).subarray(0, -5)])
}

describeMatrix('the size of a body', [
  {
    name: 'a listener accepts exactly 65,536 bytes',
    send: async ({ send, request }) => send(await request({ body: jsonOf(LIMIT) })),
    expected: ACCEPTED,
  },
  {
    name: 'a listener accepts exactly 65,536 bytes in chunks',
    send: async ({ send, request }) =>
      send(toBytes(await request({ body: jsonOf(LIMIT) }), { chunkBytes: 1000 })),
    expected: ACCEPTED,
  },
  {
    name: 'a listener keeps the connection if exactly 65,536 bytes are refused for another reason',
    send: async ({ send, request }) => send(await request({ body: 'x'.repeat(LIMIT) })),
    expected: refused(400, 'body_not_json'),
  },
  {
    name: "a listener refuses 65,537 bytes with 400, not with a framework's 413",
    send: async ({ send, request }) => send(await request({ body: jsonOf(LIMIT + 1) })),
    expected: TOO_LARGE,
  },
  {
    name: 'a listener refuses an announced 65,537 bytes by the headers alone, and closes',
    send: async ({ address, request, hungUp }) => {
      const connection = new RawConnection(address)
      await connection.write(headOf(await request(), [['Content-Length', `${LIMIT + 1}`]]))
      const reply = await connection.reply()
      await hungUp(connection)
      return wireOf(reply)
    },
    expected: TOO_LARGE,
  },
  {
    name: 'a listener never reads a refused body as the next request',
    send: async ({ address, request, verdicts, hungUp }) => {
      const smuggled = toBytes(await request())
      const body = Buffer.concat([Buffer.alloc(LIMIT + 1 - smuggled.byteLength, ' '), smuggled])
      const connection = new RawConnection(address)
      await connection.write(toBytes({ ...(await request()), body }))
      const reply = await connection.reply()
      await hungUp(connection)
      expect(verdicts.entries[0]).toBe('body_too_large')
      expect(verdicts.entries).not.toContain('accepted')
      return wireOf(reply)
    },
    expected: TOO_LARGE,
  },
  {
    name: 'a listener refuses 70,000 bytes in chunks with 400',
    send: async ({ send, request }) =>
      send(toBytes(await request({ body: jsonOf(70_000) }), { chunkBytes: 1000 })),
    expected: TOO_LARGE,
  },
  {
    name: 'a listener answers at byte 65,537 of a body in chunks that never ends, and closes',
    send: async ({ address, request, hungUp }) => {
      const connection = new RawConnection(address)
      await connection.write(withoutEnd(await request({ body: jsonOf(LIMIT + 1) })))
      const reply = await connection.reply()
      await hungUp(connection)
      return wireOf(reply)
    },
    expected: TOO_LARGE,
  },
  {
    name: 'a listener waits for the end of a body in chunks that has 65,536 bytes so far',
    send: async ({ address, request }) => {
      const connection = new RawConnection(address)
      await connection.write(withoutEnd(await request({ body: jsonOf(LIMIT) })))
      await connection.write('0\r\n\r\n')
      return wireOf(await connection.reply())
    },
    expected: ACCEPTED,
  },
  {
    name: 'a listener refuses an announced 100 MB at once, although Node itself may say 100 Continue first',
    send: async ({ address, request, hungUp }) => {
      const announced: readonly Header[] = [
        ['Expect', '100-continue'],
        ['Content-Length', '99999999'],
      ]
      const connection = new RawConnection(address)
      await connection.write(headOf(await request(), announced))
      const reply = await connection.reply()
      await hungUp(connection)
      expect(connection.interim.filter((status) => status !== 100)).toEqual([])
      return wireOf(reply)
    },
    expected: TOO_LARGE,
  },
  {
    name: 'a listener refuses a GET with a body that is too large, whether or not its server hands the body on',
    send: async ({ send, request }) => {
      const sent = await request({ method: 'GET', body: jsonOf(LIMIT + 1) })
      // A server that does not read the body may keep the connection open.
      return { ...(await send(toBytes(sent, { chunkBytes: 1000 }))), ...closing }
    },
    expected: TOO_LARGE,
    differs: { 'body of a GET': refused(400, 'method_not_post', closing) },
  },
  {
    name: 'a listener counts the bytes of the body, not its characters',
    send: async ({ send, request }) => send(await request({ body: `"${'é'.repeat(LIMIT / 2)}"` })),
    expected: TOO_LARGE,
  },
])

/**
 * Node's own parser refuses these before any framework sees them. Only the status line is compared, because Fastify
 * rewords the body.
 */
function byNode(statusLine: string): Wire {
  if (statusLine === ACCEPTED.statusLine) return ACCEPTED
  return { ...refused(400, ''), statusLine }
}

const BAD_REQUEST = 'HTTP/1.1 400 Bad Request'

async function statusOf({ address }: Client, ...bytes: readonly Uint8Array[]): Promise<Wire> {
  return byNode(wireOf(await exchange(address, Buffer.concat(bytes))).statusLine)
}

const WAVED_THROUGH = byNode('HTTP/1.1 200 OK')

function lengthRow(...lengths: readonly string[]): Row {
  const framing = lengths.map((length): Header => ['Content-Length', length])
  return {
    name: `a Content-Length of ${lengths.join(' and ')} is refused (by Node's parser), and no handler runs`,
    send: async (client) => statusOf(client, toBytes(await client.request({ body: '"abc"' }), { framing })),
    expected: byNode(BAD_REQUEST),
  }
}

describeMatrix('the length of a body', [
  {
    name: "a length beside chunks is refused (by Node's parser), and no handler runs",
    send: async (client) => {
      const sent = await client.request()
      return statusOf(client, headOf(sent, [...CHUNKED, ['Content-Length', '2']]), inChunks(sent.body, 100))
    },
    expected: byNode(BAD_REQUEST),
    differs: { 'length beside chunks': WAVED_THROUGH },
  },
  ...['-1', '+5', '5, 5', '0x5', '5.0', '5 5', '٥'].map((length) => lengthRow(length)),
  lengthRow('5', '6'),
  { ...lengthRow('5', '5'), differs: { 'equal lengths': WAVED_THROUGH } },
  {
    name: 'a listener accepts one-byte chunks, and keeps nothing of their extensions of 4 KB',
    send: async ({ send, request }) => {
      const sent = await request()
      return send(Buffer.concat([headOf(sent, CHUNKED), inChunks(sent.body, 1, `;${'x'.repeat(4096)}`)]))
    },
    expected: ACCEPTED,
    differs: { 'chunk extensions': refused(400, 'body_incomplete', closing) },
  },
  {
    name: "a chunk with an extension of 20 KB is refused (by Node's parser, with 413 or 400), and no handler runs",
    send: async (client) => {
      const sent = await client.request()
      const extended = inChunks(sent.body, 100, `;${'x'.repeat(20_000)}`)
      const { statusLine } = await statusOf(client, headOf(sent, CHUNKED), extended)
      expect(statusLine).toMatch(/^HTTP\/1\.1 (400|413) /)
      return byNode(BAD_REQUEST)
    },
    expected: byNode(BAD_REQUEST),
  },
  {
    name: 'a listener accepts 2,000 one-byte chunks',
    send: async ({ send, request }) =>
      send(toBytes(await request({ body: jsonOf(2000) }), { chunkBytes: 1 })),
    expected: ACCEPTED,
  },
])
