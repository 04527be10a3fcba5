import { describe, expect, it } from 'vitest'
import type { SchemeOptions } from '../../src/schemes/kit/index.ts'
import type { SchemeName } from '../suites/runtimes/wire/schemes.ts'
import {
  ACCEPTED,
  describeMatrix,
  type Row,
  refused,
  UNAUTHORIZED,
  type Wire,
} from '../support/describe-matrix.ts'
import { RawConnection, type RawRequest, toBytes } from '../support/raw-http.ts'
import { changed } from '../support/sender.ts'
import { TARGETS } from '../support/servers.ts'
import { schemeEndpoint } from './scheme-sender.ts'

const TRELLO = { publicUrl: 'https://receiver.example/hook' }
const NOSNIFF = { 'x-content-type-options': 'nosniff' }

const EMPTY: Wire = { ...ACCEPTED, contentType: undefined, body: '' }
const NO_CONTENT: Wire = { ...EMPTY, statusLine: 'HTTP/1.1 204 No Content' }
const FORBIDDEN: Wire = { ...EMPTY, statusLine: 'HTTP/1.1 403 Forbidden' }

function asText(body: string): Wire {
  return { ...ACCEPTED, contentType: 'text/plain; charset=utf-8', body, others: NOSNIFF }
}

function asJson(value: unknown): Wire {
  return { ...ACCEPTED, contentType: 'application/json', body: JSON.stringify(value) }
}

/** A request as its sender writes it. These are not signed. */
function plain(method: string, path: string, headers: RawRequest['headers'] = [], body = ''): RawRequest {
  return { method, path, headers, body: Buffer.from(body) }
}

function sslCheck(form: string): RawRequest {
  return plain('POST', '/hook', [['Content-Type', 'application/x-www-form-urlencoded']], form)
}

/** A row for an unsigned handshake. It reaches neither the handler nor the store. */
function openRow(
  name: string,
  scheme: SchemeName,
  request: RawRequest,
  expected: Wire,
  options: SchemeOptions = {},
): Row {
  return {
    name,
    endpoint: () => schemeEndpoint(scheme, options),
    send: ({ send }) => send(request),
    expected,
    handled: 0,
    claims: 0,
  }
}

function signedRow(name: string, scheme: SchemeName, body: string, expected: Wire): Row {
  return {
    name,
    endpoint: () => schemeEndpoint(scheme),
    send: async ({ send, request }) => send(await request({ body })),
    expected,
    handled: 0,
    claims: 0,
  }
}

/** The same with a mistake. Some senders send one on purpose. */
function mistakenRow(name: string, scheme: SchemeName, body: string, expected: Wire): Row {
  return {
    ...signedRow(name, scheme, body, expected),
    send: async ({ send, request }) => send({ ...(await request({ body })), body: Buffer.from(`${body} `) }),
  }
}

const SUBSCRIBE = '/hook?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token='
const META = { verifyToken: 'a token of mine' }
const CHALLENGE = '{"type":"url_verification","challenge":"3eZbrw1aB – ü"}'

describeMatrix('a handshake that the sender signs', [
  signedRow("Slack's handshake gets its challenge", 'slack', CHALLENGE, asText('3eZbrw1aB – ü')),
  mistakenRow("Slack's is refused when the signature is wrong", 'slack', CHALLENGE, UNAUTHORIZED),
  signedRow("Discord's PING gets a PONG", 'discord', '{"type":1,"id":"1"}', asJson({ type: 1 })),
  signedRow("Discord's handshake for events gets a 204", 'discord', '{"version":1,"type":0}', NO_CONTENT),
  mistakenRow("Discord's is refused when the signature is wrong", 'discord', '{"type":1}', UNAUTHORIZED),
  signedRow("Xero's handshake gets a 200 without a body", 'xero', '{"events":[]}', EMPTY),
  mistakenRow("Xero's gets a 401 without a body when the signature is wrong", 'xero', '{"events":[]}', {
    ...EMPTY,
    statusLine: UNAUTHORIZED.statusLine,
  }),
])

describeMatrix('a handshake without a signature', [
  openRow(
    "Meta's handshake gets its challenge",
    'meta',
    plain('GET', `${SUBSCRIBE}a%20token%20of%20mine`),
    asText('1158201444'),
    META,
  ),
  openRow(
    "Meta's is refused with another token",
    'meta',
    plain('GET', `${SUBSCRIBE}another`),
    FORBIDDEN,
    META,
  ),
  openRow(
    "Dropbox's handshake gets its challenge as plain text, byte for byte",
    'dropbox',
    plain('GET', '/hook?challenge=%3Cb%3E%C3%BC'),
    asText('<b>ü'),
  ),
  openRow("Trello's HEAD gets a 200", 'trello', plain('HEAD', '/hook'), EMPTY, TRELLO),
  openRow(
    "Okta's handshake gets its value as JSON",
    'okta',
    plain('GET', '/hook', [['X-Okta-Verification-Challenge', 'Sa5v']]),
    asJson({ verification: 'Sa5v' }),
  ),
  openRow(
    "Asana's handshake gets its secret back",
    'asana',
    plain(
      'POST',
      '/hook',
      [
        ['X-Hook-Secret', 'b537'],
        ['Content-Type', 'application/json'],
      ],
      '{}',
    ),
    { ...EMPTY, others: { 'x-hook-secret': 'b537' } },
    { secrets: undefined },
  ),
  openRow("Slack's certificate check gets a 200", 'slack', sslCheck('ssl_check=1&token=a1B2c3'), EMPTY),
  openRow(
    "Slack's certificate check may be a GET",
    'slack',
    plain('GET', '/hook?ssl_check=1&token=a1'),
    EMPTY,
  ),
  openRow(
    "Slack's certificate check is refused beside the fields of a command",
    'slack',
    sslCheck('ssl_check=1&command=%2Fdeploy'),
    refused(400, 'header_missing'),
  ),
  openRow(
    'an OPTIONS is answered by the adapter, not by the framework',
    'asks-first',
    plain('OPTIONS', '/hook', [['X-Asked', 'b537']]),
    { ...EMPTY, others: { 'x-hook-secret': 'b537' } },
  ),
])

const NOT_ALLOWED = refused(405, 'method_not_post', { others: { allow: 'POST' } })

describeMatrix('a request with another method that is not a handshake', [
  openRow('a GET is refused', 'stripe', plain('GET', '/hook?challenge=x'), NOT_ALLOWED),
  openRow('a HEAD is refused without a body', 'stripe', plain('HEAD', '/hook'), { ...NOT_ALLOWED, body: '' }),
  openRow('an OPTIONS is refused', 'stripe', plain('OPTIONS', '/hook'), NOT_ALLOWED),
  openRow('a GET without its challenge is refused', 'dropbox', plain('GET', '/hook'), NOT_ALLOWED),
])

const FROM_STRANGER: RawRequest['headers'] = [['X-Forwarded-For', '203.0.113.9']]
const FROM_SENDER: RawRequest['headers'] = [['X-Forwarded-For', '192.0.2.1']]
const NOT_FROM_HERE = refused(403, 'source_ip_not_allowed')

/** A handshake from an address that is not allowed, and then from one that is. `onHandshake` hears only the latter. */
function sourceRow(
  name: string,
  scheme: SchemeName,
  ask: (from: RawRequest['headers']) => RawRequest,
  strange: Wire,
  allowed: Wire,
  options: SchemeOptions = {},
): Row {
  return {
    name,
    endpoint: () => schemeEndpoint(scheme, options, { allowedCidrs: ['192.0.2.0/24'] }),
    setup: () => ({ options: { trustedProxies: ['127.0.0.0/8'] } }),
    send: async ({ send, verdicts }) => {
      const first = await send(ask(FROM_STRANGER))
      expect(verdicts.entries).toEqual(['source_ip_not_allowed'])
      return [first, await send(ask(FROM_SENDER))]
    },
    expected: [strange, allowed],
    differs: { 'no source address': 'not sent' },
    handled: 0,
    claims: 0,
  }
}

const JSON_TYPE = ['Content-Type', 'application/json'] as const
const BROUGHT: Wire = { ...EMPTY, others: { 'x-hook-secret': 'b537' } }

describeMatrix('a handshake from an address that is not allowed', [
  sourceRow(
    'a handshake is refused as a GET',
    'dropbox',
    (from) => plain('GET', '/hook?challenge=a', from),
    NOT_FROM_HERE,
    asText('a'),
  ),
  sourceRow(
    'a handshake is refused as a HEAD, without a body',
    'trello',
    (from) => plain('HEAD', '/hook', from),
    { ...NOT_FROM_HERE, body: '' },
    EMPTY,
    TRELLO,
  ),
  sourceRow(
    'a handshake is refused as an OPTIONS',
    'asks-first',
    (from) => plain('OPTIONS', '/hook', [['X-Asked', 'b537'], ...from]),
    NOT_FROM_HERE,
    BROUGHT,
  ),
  sourceRow(
    'a handshake is refused as a POST',
    'asana',
    (from) => plain('POST', '/hook', [['X-Hook-Secret', 'b537'], JSON_TYPE, ...from], '{}'),
    NOT_FROM_HERE,
    BROUGHT,
    { secrets: undefined },
  ),
  sourceRow(
    'any method is a 403, because the handshake has no other fault',
    'stripe',
    (from) => plain('PUT', '/hook', from),
    NOT_FROM_HERE,
    NOT_ALLOWED,
  ),
])

describe.each(Object.entries(TARGETS))('on %s', (_, start) => {
  it.each([
    ['a HEAD', 'trello', async () => plain('HEAD', '/hook'), 200],
    ['a 204', 'discord', (signed: Sign) => signed('{"type":0}'), 204],
  ] as const)('%s sends no bytes after its headers', async (_name, scheme, make, status) => {
    const endpoint = schemeEndpoint(scheme, scheme === 'trello' ? TRELLO : {})
    const { address } = await start({ target: endpoint.listener })
    const connection = new RawConnection(address)
    const request = await make((body) => endpoint.request({ body }))
    void connection.write(toBytes(changed(request, { connection: 'keep-alive' })))
    const first = await connection.reply({ hasBody: false })
    void connection.write(toBytes(plain('PUT', '/hook')))
    const second = await connection.reply()
    connection.abort()
    expect([first?.status, second?.statusLine]).toEqual([status, NOT_ALLOWED.statusLine])
    const framing = first?.headers.filter(([name]) => /^(content-length|transfer-encoding)$/.test(name))
    if (status === 204) expect(framing).toEqual([])
  })
})

type Sign = (body: string) => Promise<RawRequest>
