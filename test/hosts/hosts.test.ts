import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getTestServer } from '@google-cloud/functions-framework/testing'
import { type INestApplication, Logger } from '@nestjs/common'
import { serve } from 'h3'
import type { APIGatewayProxyResult } from 'hono/aws-lambda'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { stripe } from '../../schemes/stripe.ts'
import { type SignedRequest, signAs } from '../../src/testing/index.ts'
import { SECRET } from '../support/hmac-listener.ts'

interface Reply {
  readonly status: number
  readonly body: string
}

type Send = (request: SignedRequest) => Promise<Reply>

beforeAll(() => {
  vi.stubEnv('STRIPE_WEBHOOK_SECRET', SECRET)
  vi.stubEnv('PORT', '0')
  Logger.overrideLogger(false)
})

async function post(url: string, request: SignedRequest): Promise<Reply> {
  const response = await fetch(`${url}/webhooks/stripe`, request)
  return { status: response.status, body: await response.text() }
}

async function served(server: Server): Promise<Send> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return (request) => post(`http://127.0.0.1:${port}`, request)
}

async function nest(app: INestApplication): Promise<Send> {
  onTestFinished(() => app.close())
  const url = await app.getUrl()
  return (request) => post(url, request)
}

/** A request as API Gateway and function URLs pass it on (payload format 2.0). */
async function lambda(isBase64Encoded: boolean): Promise<Send> {
  const { handler } = await import('./lambda.ts')
  const encoding = isBase64Encoded ? 'base64' : 'utf8'
  return async ({ headers, body }) => {
    const http = { method: 'POST', path: '/webhooks/stripe', protocol: 'HTTP/1.1', sourceIp: '192.0.2.1' }
    const event = {
      version: '2.0',
      rawPath: http.path,
      rawQueryString: '',
      headers: { ...headers, 'content-length': `${Buffer.byteLength(body)}` },
      requestContext: { http, domainName: 'api.example' },
      isBase64Encoded,
      body: Buffer.from(body).toString(encoding),
    }
    const { statusCode, body: answer } = (await handler(event as never)) as APIGatewayProxyResult
    return { status: statusCode, body: answer }
  }
}

const HOSTS: { readonly [name: string]: () => Promise<Send> } = {
  'nest.ts, on real Nest and Express': async () => nest((await import('./nest.ts')).app),
  'nest-fastify.ts, on real Nest and Fastify': async () => nest((await import('./nest-fastify.ts')).app),
  'koa.ts, on real Koa': async () => served(createServer((await import('./koa.ts')).app.callback())),
  'h3.ts, on real h3': async () => {
    const server = serve((await import('./h3.ts')).app, { port: 0, hostname: '127.0.0.1', silent: true })
    onTestFinished(() => server.close(true))
    await server.ready()
    return (request) => post(new URL(server.url ?? '').origin, request)
  },
  'cloud-function.ts, on the real Functions Framework': async () => {
    await import('./cloud-function.ts')
    return served(getTestServer('stripe'))
  },
  "lambda.ts, with an event as it is written down in AWS's documents": () => lambda(false),
  'lambda.ts, with the same event in base64': () => lambda(true),
}

describe.each(Object.entries(HOSTS))('%s', (_, start) => {
  it('passes on signed deliveries once, refuses the rest, and releases events whose handler failed', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    onTestFinished(() => void vi.restoreAllMocks())
    const send = await start()
    const id = `evt_${crypto.randomUUID()}` // the programs share a listener
    const body = `{ "id": "${id}", "type": "invoice.paid", "total": 1.0, "to": "Zoë" }`
    const request = await signAs(stripe, { secret: SECRET, body })

    log.mockImplementationOnce(() => {
      throw new Error('the handler fails')
    })
    expect((await send(request)).status).toBe(500)
    const accepted = { status: 200, body: '{"received":true}' }
    await vi.waitFor(async () => expect(await send(request)).toEqual(accepted), 10_000) // waits until the event is released
    expect(log).toHaveBeenLastCalledWith('invoice.paid', id)
    await vi.waitFor(async () => expect(await send(request)).toEqual({ status: 200, body: '' }), 10_000) // a duplicate
    expect(await send({ ...request, body: body.replace('1.0', '2.0') })).toEqual({
      status: 401,
      body: '{"status":401,"title":"Unauthorized","code":"unauthorized"}',
    })
    expect(log).toHaveBeenCalledTimes(2)
    expect(warn).toHaveBeenLastCalledWith('signature_mismatch', expect.any(String))
  })
})

it.each(['listener', 'nest', 'nest-fastify', 'koa', 'h3', 'lambda', 'cloud-function'])(
  'docs/hosts.md shows %s.ts to the letter',
  (name) => {
    const page = readFileSync(new URL('../../docs/hosts.md', import.meta.url), 'utf8')
    expect(page).toContain(readFileSync(new URL(`${name}.ts`, import.meta.url), 'utf8').trim())
  },
)
