import { execFile } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { DynamoDB } from '@aws-sdk/client-dynamodb'
import { getTestServer } from '@google-cloud/functions-framework/testing'
import { getRequestListener } from '@hono/node-server'
import { Elysia } from 'elysia'
import { serve } from 'h3'
import type { APIGatewayProxyResult } from 'hono/aws-lambda'
import { generateSecret } from 'hookgate'
import { stripe } from 'hookgate/schemes/stripe'
import { dynamodbStore } from 'hookgate/stores/dynamodb'
import { type SignedRequest, signAs } from 'hookgate/testing'
import { Redis } from 'ioredis'
import { createRequestHandler, type ServerBuild } from 'react-router'
import {
  beforeAll,
  describe,
  expect,
  it,
  onTestFinished,
  vi,
} from 'vitest'
import {
  DynamodbServer,
  settingsFor,
} from '../../support/dynamodb-server.ts'
import { startRedis } from '../../support/redis-server.ts'
import { connectUpstash } from '../../support/upstash-front.ts'
import { azureFunction } from './azure-host.ts'

declare global {
  // What nuxt.ts leaves to Nuxt to import.
  const defineEventHandler: typeof import('h3-1').defineEventHandler
  const fromNodeMiddleware: typeof import('h3-1').fromNodeMiddleware
  const listener: typeof import('./listener.ts').listener
}

const here = fileURLToPath(new URL('.', import.meta.url))
const SECRET = generateSecret()

interface Reply {
  readonly status: number
  readonly body: string
}

type Send = (request: SignedRequest) => Promise<Reply>

/** The stores of the programs, by the settings that their clients read. */
beforeAll(async () => {
  vi.stubEnv('STRIPE_WEBHOOK_SECRET', SECRET)
  const [redis, dynamodb] = [
    await startRedis(),
    await DynamodbServer.start(),
  ]
  const client = new Redis(redis.port)
  const upstash = await connectUpstash(client)
  vi.stubEnv('REDIS_URL', `redis://127.0.0.1:${redis.port}`)
  vi.stubEnv('UPSTASH_REDIS_REST_URL', upstash.url)
  vi.stubEnv('UPSTASH_REDIS_REST_TOKEN', 'none')
  vi.stubEnv(
    'AWS_ENDPOINT_URL_DYNAMODB',
    `http://127.0.0.1:${dynamodb.port}`,
  )
  for (const name of [
    'AWS_REGION',
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
  ])
    vi.stubEnv(name, 'none')
  await dynamodbStore(
    new DynamoDB(settingsFor(dynamodb.port)),
  ).migrate()
  return async () => {
    vi.unstubAllEnvs()
    client.disconnect()
    await Promise.all([
      upstash.close(),
      redis.close(),
      dynamodb.close(),
    ])
  }
})

async function post(
  url: string,
  request: SignedRequest,
): Promise<Reply> {
  const response = await fetch(`${url}/webhooks/stripe`, request)
  return { status: response.status, body: await response.text() }
}

async function served(
  listener: RequestListener,
  server = createServer(listener),
): Promise<Send> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo // it listens on a port
  return (request) => post(`http://127.0.0.1:${port}`, request)
}

/** Serves a fetch handler. Its platform would answer 500 if it throws, too. */
const servedByFetch = (
  handler: (request: Request) => Response | Promise<Response>,
) => served(getRequestListener(handler))

/** A request as API Gateway and function URLs pass it on (payload format 2.0). */
async function lambda(isBase64Encoded: boolean): Promise<Send> {
  const { handler } = await import('./lambda.ts')
  const encoding = isBase64Encoded ? 'base64' : 'utf8'
  return async ({ headers, body }) => {
    const http = {
      method: 'POST',
      path: '/webhooks/stripe',
      protocol: 'HTTP/1.1',
      sourceIp: '192.0.2.1',
    }
    const event = {
      version: '2.0',
      rawPath: http.path,
      rawQueryString: '',
      headers: {
        ...headers,
        'content-length': `${Buffer.byteLength(body)}`,
      },
      requestContext: { http, domainName: 'api.example' },
      isBase64Encoded,
      body: Buffer.from(body).toString(encoding),
    }
    const { statusCode, body: answer } = (await handler(
      event as never,
    )) as APIGatewayProxyResult
    return { status: statusCode, body: answer }
  }
}

async function azure(): Promise<Send> {
  const invoke = await azureFunction(
    () => import('./azure-function.ts'),
  )
  return async ({ headers, body }) => {
    const url = 'https://app.example/api/webhooks/stripe'
    const request = {
      method: 'POST',
      url,
      headers: { ...headers },
      body: { bytes: Buffer.from(body) },
    }
    try {
      const answer = await invoke(request)
      return {
        status: Number(answer.statusCode),
        body: Buffer.from(answer.body.bytes ?? []).toString(),
      }
    } catch {
      return { status: 500, body: '' } // as the host answers
    }
  }
}

async function reactRouter(): Promise<Send> {
  const route = {
    id: 'webhook',
    path: 'webhooks/stripe',
    module: await import('./react-router.ts'),
  }
  // What `react-router build` makes of an app with this one route.
  const build = {
    entry: {
      module: { default: () => new Response(null, { status: 500 }) },
    },
    routes: { webhook: route },
    assets: {
      entry: { imports: [], module: '' },
      routes: {},
      url: '',
      version: '',
    },
    publicPath: '/',
    assetsBuildDirectory: '',
    future: {},
    ssr: true,
    isSpaMode: false,
    prerender: [],
    routeDiscovery: { mode: 'initial', manifestPath: '' },
  }
  return servedByFetch(
    createRequestHandler(build as unknown as ServerBuild, 'production'),
  ) // the members that it reads
}

/** Nitro, the server of Nuxt 4, builds an app of one route. */
async function nuxt(): Promise<Send> {
  const folder = mkdtempSync(join(here, '.app-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const copy = (name: string, path: string) =>
    cpSync(join(here, name), join(folder, 'server', path))
  copy('nuxt.ts', 'routes/webhooks/stripe.post.ts')
  copy('listener.ts', 'utils/listener.ts')
  writeFileSync(
    join(folder, 'nitro.config.ts'),
    "export default { srcDir: 'server', compatibilityDate: '2026-01-01' }",
  )
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(
    join(here, 'node_modules/h3-1'),
    join(folder, 'node_modules/h3'),
  ) // as in an app of Nuxt
  const nitro = join(here, 'node_modules/nitropack/dist/cli/index.mjs')
  await promisify(execFile)(
    process.execPath,
    [nitro, 'build', '--preset', 'node-listener'],
    { cwd: folder },
  )
  const { listener } = await import(
    join(folder, '.output/server/index.mjs')
  )
  return served(listener)
}

const HOSTS: { readonly [name: string]: () => Promise<Send> } = {
  'koa.ts, on real Koa': async () =>
    served((await import('./koa.ts')).app.callback()),
  'h3.ts, on real h3': async () => {
    const server = serve((await import('./h3.ts')).app, {
      port: 0,
      hostname: '127.0.0.1',
      silent: true,
    })
    onTestFinished(() => server.close(true))
    await server.ready()
    return (request) => post(new URL(server.url ?? '').origin, request)
  },
  'nuxt.ts, built by real Nitro 2': nuxt,
  'react-router.ts, on real React Router': reactRouter,
  'elysia.ts, on real Elysia, behind a hook that reads bodies':
    async () => {
      const { app } = await import('./elysia.ts')
      return servedByFetch(
        new Elysia().onBeforeHandle(({ body }) => void body).use(app)
          .fetch,
      )
    },
  'cloud-function.ts, on the real Functions Framework': async () => {
    await import('./cloud-function.ts')
    return served(() => {}, getTestServer('stripe'))
  },
  'azure-function.ts, in the real library, with a message of its host':
    azure,
  "lambda.ts, with an event as it is written down in AWS's documents":
    () => lambda(false),
  'lambda.ts, with the same event in base64': () => lambda(true),
  "vercel.ts, with Upstash's own client": async () =>
    servedByFetch(
      (await import('../../../examples/web/vercel.ts')).POST,
    ),
}

describe.each(Object.entries(HOSTS))('%s', (_, start) => {
  it('signed deliveries pass once, the rest are refused, and events are released whose handler failed', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    vi.spyOn(console, 'error').mockImplementation(() => {})
    vi.spyOn(console, 'warn').mockImplementation(() => {})
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
    await expect.poll(() => send(request)).toEqual(accepted) // waits until the event is released
    expect(log).toHaveBeenLastCalledWith('invoice.paid', id)
    await expect
      .poll(() => send(request))
      .toEqual({ status: 200, body: '' }) // a duplicate
    expect(
      await send({ ...request, body: body.replace('1.0', '2.0') }),
    ).toEqual({
      status: 401,
      body: '{"status":401,"title":"Unauthorized","code":"unauthorized"}',
    })
    expect(log).toHaveBeenCalledTimes(2)
  })
})

const SHOWN: { readonly [page: string]: readonly string[] } = {
  other: ['listener', 'koa', 'handle', 'h3', 'react-router', 'elysia'],
  'sveltekit-nuxt-astro': ['nuxt'],
  nestjs: ['webhooks.module'],
  serverless: ['lambda', 'azure-function', 'cloud-function'],
}

it.each(Object.entries(SHOWN))(
  'docs/frameworks/%s.md shows its programs to the letter',
  (page, names) => {
    const text = readFileSync(
      new URL(`../../../docs/frameworks/${page}.md`, import.meta.url),
      'utf8',
    )
    for (const name of names)
      expect(text).toContain(
        readFileSync(
          new URL(`${name}.ts`, import.meta.url),
          'utf8',
        ).trim(),
      )
  },
)
