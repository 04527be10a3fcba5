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
import { RawConnection, toBytes } from '../support/raw-http.ts'
import { hmacEndpoint } from '../support/sender.ts'

const STRANGERS = 64
const ALLOWED = '192.0.2.1'
const STRANGER = '203.0.113.9'

const OWN_BYTES = STRANGERS * 65_536

const endpoint = () => hmacEndpoint({ allowedCidrs: ['192.0.2.0/24'] })
const endpointForLarge = () => hmacEndpoint({ allowedCidrs: ['192.0.2.0/24'], maxBodyBytes: 2 * OWN_BYTES })
const from = (address: string) => ({ 'x-forwarded-for': address })
/** Trusts the proxies, so that each request can name its source address. */
const options = { trustedProxies: ['127.0.0.0/8'], maxConcurrentBodies: 2 }

const FORBIDDEN = refused(403, 'source_ip_not_allowed')
const FORBIDDEN_AT_ONCE = { ...FORBIDDEN, ...closing }
const BUSY = refused(503, 'unavailable', { retryAfter: '1', ...closing })

type Setup = Row['setup']
const found: Setup = ({ lookup }) => ({ target: lookup, options })
const foundLater: Setup = ({ lookup }) => ({
  target: async (path: string) => {
    await new Promise((resolve) => setImmediate(resolve))
    return lookup(path)
  },
  // Before the listener is known, every body takes an ordinary place.
  options: { ...options, maxConcurrentBodies: STRANGERS + 2 },
})

/** Sends a request without the last byte of its body. */
async function begin(client: Client, address: string, body: string): Promise<RawConnection> {
  const connection = new RawConnection(client.address)
  const bytes = toBytes(await client.request({ body, headers: from(address) }))
  await connection.write(bytes.subarray(0, -1))
  return connection
}

/** Fills the strangers' places, each with a body that lacks one byte. The first is the slowest. */
async function crowd(client: Client, body: string): Promise<RawConnection[]> {
  const first = await begin(client, STRANGER, body)
  await client.lookups.reaches(1)
  const others = Array.from({ length: STRANGERS - 1 }, () => begin(client, STRANGER, body))
  const strangers = [first, ...(await Promise.all(others))]
  await client.lookups.reaches(STRANGERS)
  return strangers
}

/** Completes all bodies, and returns the reply to the first. All replies must be equal. */
async function finish(strangers: readonly RawConnection[], end: string): Promise<Wire> {
  const replies = await Promise.all(
    strangers.map(async (connection) => {
      await connection.write(end)
      return wireOf(await connection.reply())
    }),
  )
  expect(new Set(replies.map((reply) => JSON.stringify(reply))).size).toBe(1)
  return replies[0] as Wire // there are 64 of them
}

/** Fills the strangers' places. One more stranger takes the place of the slowest. */
async function fillPlaces(client: Client): Promise<Wire[]> {
  const strangers = await crowd(client, '{"a":1}')
  const [slowest, ...others] = strangers
  const excess = await begin(client, STRANGER, '{"a":1}')
  const turnedAway = wireOf(await slowest?.reply())
  expect(client.verdicts.entries).toEqual(['source_ip_not_allowed'])
  const allowed = await client.send(await client.request({ headers: from(ALLOWED) }))
  const first = await finish([...others, excess], '}')
  if (slowest) await client.hungUp(slowest) // may send a request, which needs a place of its own
  const next = await client.send(await client.request({ headers: from(STRANGER) }))
  expect(client.failures.entries).toEqual([])
  return [turnedAway, allowed, first, next]
}

describeMatrix('senders from addresses that are not allowed', [
  ...(
    [
      ['a given listener', found],
      ['a listener from a lookup', foundLater],
    ] as const
  ).map(
    ([name, setup]): Row => ({
      name: `disallowed senders have 64 places of their own, and the slowest is 403 at once when these are taken: ${name}`,
      endpoint,
      setup,
      send: fillPlaces,
      expected: [FORBIDDEN_AT_ONCE, ACCEPTED, FORBIDDEN, FORBIDDEN],
    }),
  ),
  {
    name: 'disallowed senders are answered in the order of the checks if they have a place',
    endpoint,
    setup: found,
    send: async (client) => finish(await crowd(client, '{"a":1}'), 'x'),
    expected: refused(400, 'body_not_json'),
  },
  {
    name: 'disallowed senders take no place from allowed senders',
    endpoint,
    setup: found,
    send: async (client) => {
      const strangers = await crowd(client, '{"a":1}')
      const slow = await begin(client, ALLOWED, '{"a":1}')
      await client.lookups.reaches(STRANGERS + 1)
      const fast = await begin(client, ALLOWED, '{"a":1}')
      await client.lookups.reaches(STRANGERS + 2)
      const third = await client.send(await client.request({ headers: from(ALLOWED) }))
      const cut = wireOf(await slow.reply())
      return [third, cut, await finish([fast], '}'), await finish(strangers, '}')]
    },
    expected: [ACCEPTED, BUSY, ACCEPTED, FORBIDDEN],
    handled: 2,
    claims: 2,
  },
  {
    name: 'disallowed senders have the bytes of 64 default bodies, even if the limit is larger',
    endpoint: endpointForLarge,
    setup: ({ lookup }) => ({ target: lookup, options: { ...options, bodyTimeoutSeconds: 600 } }),
    send: async (client) => {
      const body = JSON.stringify('x'.repeat(OWN_BYTES - 2))
      const request = await client.request({ body, headers: from(STRANGER) })
      const most = await client.send(request)
      const connection = new RawConnection(client.address)
      await connection.write(toBytes(request, { framing: [['Content-Length', `${OWN_BYTES + 2}`]] }))
      await connection.write('x')
      return [most, wireOf(await connection.reply())]
    },
    expected: [FORBIDDEN, FORBIDDEN_AT_ONCE],
  },
])
