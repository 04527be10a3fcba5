import type { NetConnectOpts } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import {
  ACCEPTED,
  type Client,
  describeMatrix,
  type Row,
  refused,
  wireOf,
} from '../support/describe-matrix.ts'
import { exchange, toBytes } from '../support/raw-http.ts'
import { hmacEndpoint } from '../support/sender.ts'

const FORBIDDEN = refused(403, 'source_ip_not_allowed')

/** The trusted proxies. Hono must be told how to find the source, so each row names some. */
const PROXY = { trustedProxies: ['127.0.0.0/8'] }
const NO_PROXY = { trustedProxies: ['198.51.100.1/32'] }

interface Sending {
  readonly allowed: readonly string[]
  readonly proxies?: typeof PROXY
  readonly forwardedFor?: string | readonly string[]
}

function row(
  name: string,
  { allowed, proxies = NO_PROXY, forwardedFor }: Sending,
  expected: Row['expected'],
): Row {
  return {
    name,
    endpoint: () => hmacEndpoint({ allowedCidrs: allowed }),
    setup: () => ({ options: proxies }),
    send: async ({ send, request }) => send(await request({ headers: { 'x-forwarded-for': forwardedFor } })),
    expected,
  }
}

/** An address behind that many trusted proxies. */
function chainOf(entries: number): string {
  return ['192.0.2.1', ...Array(entries - 1).fill('127.0.0.2')].join(', ')
}

describeMatrix('the source address of a direct sender', [
  row('a listener accepts a sender in the allowed network', { allowed: ['127.0.0.0/8'] }, ACCEPTED),
  row('a listener refuses a sender outside of it', { allowed: ['192.0.2.0/24'] }, FORBIDDEN),
  row(
    'a listener does not treat loopback specially',
    { allowed: ['192.0.2.0/24'], forwardedFor: '127.0.0.1' },
    FORBIDDEN,
  ),
  row(
    'a listener ignores X-Forwarded-For from a sender that is not a declared proxy',
    { allowed: ['192.0.2.0/24'], forwardedFor: '192.0.2.1' },
    FORBIDDEN,
  ),
  row(
    'a listener ignores X-Forwarded-For if the sender itself is allowed',
    { allowed: ['127.0.0.0/8'], forwardedFor: '192.0.2.1' },
    ACCEPTED,
  ),
])

describeMatrix('the source address behind a proxy', [
  row(
    'the source address is what the proxy wrote',
    { allowed: ['192.0.2.0/24'], proxies: PROXY, forwardedFor: '192.0.2.1' },
    ACCEPTED,
  ),
  row('the proxy is the source if it names nobody', { allowed: ['127.0.0.0/8'], proxies: PROXY }, ACCEPTED),
  row(
    'the source address is the leftmost entry if all are proxies',
    { allowed: ['127.0.0.2/32'], proxies: PROXY, forwardedFor: '127.0.0.2, 127.0.0.3' },
    ACCEPTED,
  ),
  row(
    'the source address is the first untrusted address from the right, and not the leftmost',
    { allowed: ['192.0.2.0/24'], proxies: PROXY, forwardedFor: '192.0.2.1, 203.0.113.9' },
    FORBIDDEN,
  ),
  row(
    'the source address is found behind a chain of declared proxies',
    { allowed: ['192.0.2.0/24'], proxies: PROXY, forwardedFor: '203.0.113.9, 192.0.2.1, 127.0.0.2' },
    ACCEPTED,
  ),
  row(
    'the source address is not the proxy itself, although its loopback address would be allowed',
    { allowed: ['127.0.0.0/8'], proxies: PROXY, forwardedFor: '203.0.113.9' },
    FORBIDDEN,
  ),
  row(
    'the source address is read from two headers as from one, whose last entry counts',
    { allowed: ['192.0.2.0/24'], proxies: PROXY, forwardedFor: ['192.0.2.1', '203.0.113.9'] },
    FORBIDDEN,
  ),
  row(
    'the source address is read from two headers as from one, whose first entry a stranger may forge',
    { allowed: ['192.0.2.0/24'], proxies: PROXY, forwardedFor: ['203.0.113.9', '192.0.2.1'] },
    ACCEPTED,
  ),
  row(
    'the source address is found at the far end of 32 entries',
    { allowed: ['192.0.2.0/24'], proxies: PROXY, forwardedFor: chainOf(32) },
    ACCEPTED,
  ),
  row(
    'the source address is unknown at the far end of 33 entries',
    { allowed: ['192.0.2.0/24'], proxies: PROXY, forwardedFor: chainOf(33) },
    FORBIDDEN,
  ),
  row(
    'the source address is unknown behind 1,000 entries',
    { allowed: ['192.0.2.0/24'], proxies: PROXY, forwardedFor: Array(1000).fill('192.0.2.1').join(',') },
    FORBIDDEN,
  ),
  ...[
    '',
    ',',
    '192.0.2.1,',
    ' ',
    'unknown',
    '192.0.2.1:443',
    '[192.0.2.1]',
    '192.0.2.1 ;',
    '0192.0.2.1',
    '"192.0.2.1"',
    '_hidden',
  ].map((forwardedFor) =>
    row(
      `the source address is nobody where the proxy wrote ${JSON.stringify(forwardedFor)}`,
      { allowed: ['192.0.2.0/24'], proxies: PROXY, forwardedFor },
      FORBIDDEN,
    ),
  ),
])

describeMatrix('two headers of addresses', [
  {
    name: 'two headers of addresses do not include a header whose value is their name',
    endpoint: () => hmacEndpoint({ allowedCidrs: ['192.0.2.0/24'] }),
    setup: () => ({ options: PROXY }),
    send: async ({ send, request }) => {
      const forwardedFor = ['203.0.113.9', '192.0.2.1']
      return send(await request({ headers: { 'x-forwarded-for': forwardedFor, vary: 'x-forwarded-for' } }))
    },
    expected: ACCEPTED,
  },
])

/** Sends to a dual-stack server over IPv4 or IPv6. */
async function sendTo({ address, request }: Client, host: string) {
  return wireOf(await exchange({ ...address, host } as NetConnectOpts, toBytes(await request())))
}

const BOTH_FAMILIES = { options: NO_PROXY, listenOn: { port: 0, host: '::' } }

describeMatrix('the family of an address', [
  {
    name: 'an IPv4 sender that the socket shows as ::ffff:127.0.0.1 fits an IPv4 rule',
    endpoint: () => hmacEndpoint({ allowedCidrs: ['127.0.0.0/8'] }),
    setup: () => BOTH_FAMILIES,
    send: (client) => sendTo(client, '127.0.0.1'),
    expected: ACCEPTED,
  },
  {
    name: 'an IPv6 sender matches no IPv4 rule, without an error',
    endpoint: () => hmacEndpoint({ allowedCidrs: ['127.0.0.0/8'] }),
    setup: () => BOTH_FAMILIES,
    send: async (client) => {
      const wire = await sendTo(client, '::1')
      expect(client.errors).toEqual([])
      return wire
    },
    expected: FORBIDDEN,
  },
  {
    name: 'an IPv6 sender fits its IPv6 rule',
    endpoint: () => hmacEndpoint({ allowedCidrs: ['::1/128'] }),
    setup: () => BOTH_FAMILIES,
    send: (client) => sendTo(client, '::1'),
    expected: ACCEPTED,
  },
])

function socketPath(): string {
  return join(tmpdir(), `hookgate-${crypto.randomUUID()}.sock`)
}

describeMatrix('a sender without an address', [
  {
    name: 'a sender without an address is refused if there are rules',
    endpoint: () => hmacEndpoint({ allowedCidrs: ['127.0.0.0/8'] }),
    setup: () => ({ options: PROXY, listenOn: { path: socketPath() } }),
    send: async ({ send, request }) => [
      await send(await request()),
      await send(await request({ headers: { 'x-forwarded-for': '127.0.0.1' } })),
    ],
    expected: [FORBIDDEN, FORBIDDEN],
  },
  {
    name: 'a sender without an address is accepted if there are none',
    setup: () => ({ listenOn: { path: socketPath() } }),
    send: async ({ send, request }) => send(await request()),
    expected: ACCEPTED,
  },
])
