import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:http2'
import express, { type RequestHandler } from 'express'
import express4 from 'express4'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { describe, expect, it, onTestFinished } from 'vitest'
import { verifyWebhook as onExpress } from '../../adapters/express.ts'
import { verifyWebhook as onFastify } from '../../adapters/fastify.ts'
import { verifyWebhook as onHono } from '../../adapters/hono.ts'
import { webhookHandler } from '../../adapters/web.ts'
import { ACCEPTED, describeMatrix, type Row, UNAUTHORIZED } from '../support/describe-matrix.ts'
import { exchange, toBytes } from '../support/raw-http.ts'
import { serve, serveFastify } from '../support/servers.ts'
import { schemeEndpoint } from './scheme-sender.ts'

const PUBLIC_URL = 'https://receiver.example/hook'
const options = { secrets: 'the token of this test', publicUrl: PUBLIC_URL }
const FORM = 'AccountSid=AC1&Body=Hi'

/** Signed by Twilio for the public URL with this query. */
function signedFor(query: string) {
  const text = `${PUBLIC_URL}${query}AccountSidAC1BodyHi`
  const signature = createHmac('sha1', options.secrets).update(text).digest('base64')
  return {
    method: 'POST',
    headers: [
      ['content-type', 'application/x-www-form-urlencoded'],
      ['x-twilio-signature', signature],
    ],
    body: Buffer.from(FORM),
  } as const
}
const request = (target: string, query: string) => ({ ...signedFor(query), path: target })

const INVALID_URI = {
  ...UNAUTHORIZED,
  statusLine: 'HTTP/1.1 400 Bad Request',
  contentType: 'text/plain',
  body: 'invalid URI',
}

const row = (target: string, query: string, more: Partial<Row> = {}): Row => ({
  name: `the query of ${target} is ${query}`,
  endpoint: () => schemeEndpoint('twilio', options),
  send: ({ send }) => send(request(target, query)),
  expected: ACCEPTED,
  ...more,
})

describeMatrix('the query that a sender has signed', [
  ...[
    '?id=12345',
    '?id=1?id=2',
    '??',
    '?',
    '?a=%7e%7E~%2f%2F/',
    '?a=%41&b=+%20%2B',
    '?a=b&&=&c',
    '?a=/../b/./c//d',
    '?a=[1]{2}|^`\\',
    '?a=%zz%',
    '?A=:80:443@;,!$()*',
  ].map((query) => row(`/hook${query}`, query)),
  row('//hook?id=1', '?id=1'),
  row('/a/../hook?id=1', '?id=1'),
  row('/hook/?id=1', '?id=1'),
  row('http://other.example/hook?id=1', '?id=1'),
  ...['?a="b"', '?a=<b>'].map((query) =>
    row(`/hook${query}`, query, {
      differs: { 'query as parsed': UNAUTHORIZED, 'query of a URI': INVALID_URI },
    }),
  ),
])

describeMatrix('the query of a request is not the signed one', [
  ...(
    [
      ['/hook?id=2', '?id=1'],
      ['/hook', '?id=1'],
      ['/hook?id=1', ''],
      ['/hook%3Fid=1', '?id=1'],
      ['/hook%3fid=2?id=1', '?id=1'],
      ['/hook%3f', ''],
      ['/hook?id=%31', '?id=1'],
      ['/hook?id=1&', '?id=1'],
      ['/hook?ID=1', '?id=1'],
    ] as const
  ).map(([target, query]) => row(target, query, { expected: UNAUTHORIZED })),
])

const answered = async (address: Parameters<typeof exchange>[0], target: string, query: string) =>
  (await exchange(address, toBytes(request(target, query))))?.status
const listener = () => schemeEndpoint('twilio', options).listener

describe('a router or middleware that changes the URL hides no query from', () => {
  it.each([
    ['Express 5', express],
    ['Express 4', express4],
  ])('%s', async (_, create) => {
    const app = create()
    const router = create.Router()
    const rewrite: RequestHandler = (request, _response, next) => {
      request.url = '/in?id=rewritten'
      next()
    }
    router.post('/in', onExpress(listener()), (_, response) => void response.end())
    app.use('/mounted', router)
    app.use('/rewritten', rewrite, router)
    const { address } = await serve(app)
    expect(await answered(address, '/mounted/in?id=1', '?id=1')).toBe(200)
    expect(await answered(address, '/rewritten/in?id=1', '?id=1')).toBe(200)
    expect(await answered(address, '/rewritten/in?id=1', '?id=rewritten')).toBe(401)
  })

  it('Fastify', async () => {
    const app = Fastify({ rewriteUrl: ({ url = '' }) => url.replace(/\?.*/, '?id=rewritten') })
    app.register(
      async (scope) => {
        await scope.register(onFastify, { listener: listener() })
        scope.post('/in', async () => 'ok')
      },
      { prefix: '/mounted' },
    )
    const { address } = await serveFastify(app)
    expect(await answered(address, '/mounted/in?id=1', '?id=1')).toBe(200)
    expect(await answered(address, '/mounted/in?id=1', '?id=rewritten')).toBe(401)
  })

  it('HTTP/2', async () => {
    const app = Fastify({ http2: true })
    onTestFinished(() => app.close())
    app.register(async (scope) => {
      await scope.register(onFastify, { listener: listener() })
      scope.post('/in', async () => 'ok')
    })
    const session = connect(await app.listen({ port: 0, host: '127.0.0.1' }))
    onTestFinished(() => session.destroy())
    const statusOf = async (target: string) => {
      const { headers, body } = signedFor('?id=%7e')
      const stream = session.request({ ...Object.fromEntries(headers), ':method': 'POST', ':path': target })
      stream.end(body)
      const [answer] = await once(stream, 'response')
      return answer[':status']
    }
    expect(await statusOf('/in?id=%7e')).toBe(200)
    expect(await statusOf('/in?id=%7E')).toBe(401)
  })

  it('Hono', async () => {
    const inner = new Hono().post('/in', onHono(listener()), (c) => c.text('ok'))
    const app = new Hono().route('/mounted', inner)
    const send = (query: string, signed: string) =>
      app.request(`/mounted/in${query}`, {
        ...signedFor(signed),
        headers: Object.fromEntries(signedFor(signed).headers),
      })
    expect((await send('?id=1', '?id=1')).status).toBe(200)
    expect((await send('?id=2', '?id=1')).status).toBe(401)
  })
})

it('a fragment of a Request is not part of its query, and is refused', async () => {
  const handle = webhookHandler(listener(), () => undefined)
  const send = (url: string) =>
    handle(
      new Request(url, { ...signedFor('?id=1'), headers: Object.fromEntries(signedFor('?id=1').headers) }),
    )
  expect((await send('https://a.example/hook?id=1')).status).toBe(200)
  expect((await send('https://a.example/hook?id=1#a')).status).toBe(401)
  expect((await send('https://a.example/hook#?id=1')).status).toBe(401)
})
