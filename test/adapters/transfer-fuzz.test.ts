import { expect, it } from 'vitest'
import { wireOf } from '../support/describe-matrix.ts'
import fc from '../support/property.ts'
import { RawConnection, type RawRequest, toBytes } from '../support/raw-http.ts'
import { type Given, hmacEndpoint } from '../support/sender.ts'
import { type RunningServer, TARGETS } from '../support/servers.ts'

const jsonOf = (bytes: number) => `"${'x'.repeat(bytes - 2)}"`

/** Requests with different replies. None of the replies closes its connection. */
const given = fc.constantFrom<Given>(
  {},
  { body: jsonOf(65_536) },
  { body: jsonOf(65_535) },
  { body: '[1, 2' },
  { headers: { 'webhook-signature': 'A'.repeat(43) } },
  { headers: { 'webhook-timestamp': undefined } },
  { headers: { 'content-type': ['application/json', 'application/json'] } },
  { eventId: 'not-a-uuid' },
  { method: 'PUT' },
)

const transfer = fc.record({
  chunkBytes: fc.option(fc.integer({ min: 1, max: 70_000 }), { nil: undefined }),
  /** Where to cut the bytes into writes, as fractions of the whole. */
  cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 }),
})

/** Chunks of one byte would cost more than the body. What matters is where they end. */
function bytesOf(request: RawRequest, chunkBytes: number | undefined): Buffer {
  if (chunkBytes === undefined) return toBytes(request)
  return toBytes(request, { chunkBytes: Math.max(chunkBytes, Math.ceil(request.body.byteLength / 500)) })
}

/** Writes the parts one after the other, each after the system has taken the previous one. */
async function writeInParts(connection: RawConnection, bytes: Buffer, cuts: readonly number[]) {
  const ends = [...cuts, 1].map((part) => Math.floor(part * bytes.byteLength)).sort((a, b) => a - b)
  let start = 0
  for (const end of ends) {
    await connection.write(bytes.subarray(start, end))
    start = end
  }
}

it('a server answers a request alike, whole or in chunks, in one write or in many, alone or behind others', async () => {
  const { listener, request } = hmacEndpoint()
  const servers = await Promise.all(Object.values(TARGETS).map((start) => start({ target: listener })))
  /** The replies to new requests on one connection. */
  const replies = async (
    { address }: RunningServer,
    all: readonly Given[],
    { chunkBytes, cuts }: Transfer,
  ) => {
    const connection = new RawConnection(address)
    const sent = await Promise.all(all.map((one) => request(one)))
    void writeInParts(connection, Buffer.concat(sent.map((one) => bytesOf(one, chunkBytes))), cuts)
    const wires = []
    for (const _ of sent) wires.push(wireOf(await connection.reply()))
    connection.abort()
    return wires
  }

  await fc.assert(
    fc.asyncProperty(fc.array(given, { minLength: 1, maxLength: 3 }), transfer, async (all, way) => {
      for (const server of servers) {
        const alone = await Promise.all(all.map((one) => replies(server, [one], PLAIN)))
        expect(await replies(server, all, way)).toEqual(alone.flat())
      }
    }),
    { numRuns: 60 },
  )
}, 120_000)

type Transfer = typeof transfer extends fc.Arbitrary<infer T> ? T : never
const PLAIN: Transfer = { chunkBytes: undefined, cuts: [] }
