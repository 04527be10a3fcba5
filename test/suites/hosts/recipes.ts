import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { getTestServer } from '@google-cloud/functions-framework/testing'
import { getRequestListener } from '@hono/node-server'
import { NestFactory } from '@nestjs/core'
import { ExpressAdapter } from '@nestjs/platform-express'
import {
  FastifyAdapter,
  type NestFastifyApplication,
} from '@nestjs/platform-fastify'
import { serve } from 'h3'
import { createRequestHandler, type ServerBuild } from 'react-router'
import { onTestFinished } from 'vitest'
import { azureFunction } from './azure-host.ts'
import {
  addTo,
  blockOf,
  type Delivery,
  folderOf,
  here,
  spawned,
  type Variant,
} from './programs.ts'

export interface Reply {
  readonly status: number
  readonly text: string
}

/** A program in its host. `said` is what the host has printed, if it is a process of its own. */
export interface Running {
  send(delivery: Delivery): Promise<Reply>
  readonly said?: () => string
}

export type Recipe = (variant: Variant) => Promise<Running>

const posting =
  (url: string): Running['send'] =>
  async (delivery) => {
    const response = await fetch(url, { method: 'POST', ...delivery })
    return { status: response.status, text: await response.text() }
  }

async function served(
  listener: RequestListener,
  path = '/webhooks/stripe',
  server = createServer(listener),
) {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return {
    send: posting(
      `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    ),
  } // it listens on a port
}

/** A host of web requests. It prints what the program throws and answers 500, as its platform does. */
const servedByFetch = (
  handler: (request: Request) => Response | Promise<Response>,
) => {
  const answer = async (request: Request) => {
    try {
      return await handler(request)
    } catch (error) {
      console.error(error)
      return new Response(null, { status: 500 })
    }
  }
  return served(getRequestListener(answer))
}

/** A page's `app.mjs`, which listens by itself. */
const aProcess =
  (
    page: string,
    edit: (text: string) => string = (text) => text,
  ): Recipe =>
  async (variant) => {
    const folder = folderOf(
      { 'app.mjs': edit(blockOf(page, 'app.')) },
      variant,
    )
    const { url, said } = await spawned(
      ['app.mjs'],
      folder,
      /(http:\/\/\S+)/,
    )
    return { send: posting(`${url}/webhooks/stripe`), said }
  }

/** The programs of a page that share `listener.ts` and `handle.ts`. */
const shared = () => ({
  'listener.ts': blockOf('other', 'export const listener'),
  'handle.ts': blockOf('other', 'export const handle'),
})

const loaded = (
  files: { readonly [path: string]: string },
  variant: Variant,
  main: string,
) => import(join(folderOf(files, variant), main))

/** Programs that are given web requests, beside those that they share. */
const onWeb =
  (
    page: string,
    has: string,
    handlerOf: (
      program: never,
    ) => (request: Request) => Promise<Response>,
  ): Recipe =>
  async (variant) => {
    const program = await loaded(
      { ...shared(), 'program.ts': blockOf(page, has) },
      variant,
      'program.ts',
    )
    return servedByFetch(handlerOf(program as never))
  }

const koa: Recipe = async (variant) => {
  const { app } = await loaded(
    { ...shared(), 'koa.ts': blockOf('other', 'new Koa') },
    variant,
    'koa.ts',
  )
  return served(app.callback())
}

const h3: Recipe = async (variant) => {
  const { app } = await loaded(
    { ...shared(), 'h3.ts': blockOf('other', 'new H3()') },
    variant,
    'h3.ts',
  )
  const server = serve(app, { port: 0, hostname: '127.0.0.1' })
  onTestFinished(() => server.close(true))
  await server.ready()
  return {
    send: posting(new URL('/webhooks/stripe', server.url ?? '').href),
  }
}

const reactRouter: Recipe = async (variant) => {
  const files = {
    ...shared(),
    'route.ts': blockOf('other', 'export const action'),
  }
  const route = {
    id: 'webhook',
    path: 'webhooks/stripe',
    module: await loaded(files, variant, 'route.ts'),
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

/** What `src/main.ts` does besides, as the page says. */
const FASTIFY_TYPES = /app\.useBodyParser\(\[([^\]]*)\]\)/

const nest =
  (platform: 'Express' | 'Fastify'): Recipe =>
  async (variant) => {
    const isTaken = variant === 'whose lookup reads the body' // here, a forgotten `rawBody: true`
    const program = await loaded(
      {
        'webhooks.module.ts': blockOf('nestjs', 'class WebhooksModule'),
      },
      isTaken ? 'as the page has it' : variant,
      'webhooks.module.ts',
    )
    const adapter =
      platform === 'Express'
        ? new ExpressAdapter()
        : new FastifyAdapter()
    const app = await NestFactory.create<NestFastifyApplication>(
      program.WebhooksModule,
      adapter,
      {
        rawBody: !isTaken,
        logger: ['error'],
      },
    )
    onTestFinished(() => app.close())
    const [, types = ''] =
      FASTIFY_TYPES.exec(
        readFileSync(
          join(here, '../../../docs/frameworks/nestjs.md'),
          'utf8',
        ),
      ) ?? []
    const keepAll = app.useBodyParser.bind(app)
    if (platform === 'Fastify')
      keepAll(
        Array.from(
          types.matchAll(/'([^']+)'/g),
          ([, type = '']) => type,
        ),
      )
    await app.listen(0, '127.0.0.1')
    return { send: posting(`${await app.getUrl()}/webhooks/stripe`) }
  }

const cloudFunction: Recipe = async (variant) => {
  const name = `stripe-${crypto.randomUUID()}`
  const program = blockOf(
    'serverless',
    "from '@google-cloud/functions-framework'",
  )
  await loaded(
    {
      'function.ts': program.replace("http('stripe'", `http('${name}'`),
    },
    variant,
    'function.ts',
  )
  return served(() => {}, '/', getTestServer(name))
}

/** A request as API Gateway and function URLs pass it on (payload format 2.0). */
function lambdaEvent(
  { headers, body }: Delivery,
  isBase64Encoded: boolean,
) {
  const http = {
    method: 'POST',
    path: '/webhooks/stripe',
    protocol: 'HTTP/1.1',
    sourceIp: '192.0.2.1',
  }
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: http.path,
    rawQueryString: '',
    headers: { ...headers, 'content-length': `${body.byteLength}` },
    requestContext: {
      http,
      stage: '$default',
      domainName: 'api.example',
    },
    isBase64Encoded,
    body: Buffer.from(body).toString(
      isBase64Encoded ? 'base64' : 'utf8',
    ),
  }
}

const lambda: Recipe = async (variant) => {
  const { handler } = await loaded(
    { 'lambda.ts': blockOf('serverless', 'hono/aws-lambda') },
    variant,
    'lambda.ts',
  )
  return {
    async send(delivery) {
      const { statusCode, body } = await handler(
        lambdaEvent(delivery, true),
      )
      return { status: statusCode, text: body }
    },
  }
}

const azure: Recipe = async (variant) => {
  const files = {
    'azure.ts': blockOf('serverless', "from '@azure/functions'"),
  }
  const invoke = await azureFunction(() =>
    loaded(files, variant, 'azure.ts'),
  )
  return {
    async send({ headers, body }) {
      const url = 'https://app.example/api/webhooks/stripe'
      try {
        const answer = await invoke({
          method: 'POST',
          url,
          headers: { ...headers },
          body: { bytes: body },
        })
        return {
          status: Number(answer.statusCode),
          text: Buffer.from(answer.body.bytes ?? []).toString(),
        }
      } catch (error) {
        return { status: 500, text: String(error) } // as the host answers
      }
    },
  }
}

/** Nitro, the server of Nuxt 4, builds an app of one route. */
const nuxt: Recipe = async (variant) => {
  const files = {
    'server/routes/webhooks/stripe.post.ts': blockOf(
      'sveltekit-nuxt-astro',
      'defineEventHandler',
    ),
    'server/utils/listener.ts': shared()['listener.ts'].replace(
      "'hookgate/schemes/stripe'",
      "'hookgate/schemes/stripe'",
    ),
    'nitro.config.ts':
      "export default { srcDir: 'server', compatibilityDate: '2026-01-01' }",
  }
  const folder = folderOf(files, variant)
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

type Bind = (request: Request) => Promise<Response>

/** The recipes that are started anew for each variant. */
export const RECIPES: { readonly [name: string]: Recipe } = {
  'Express 5': aProcess('express'),
  'Express 4': aProcess('express', (text) =>
    text.replace("from 'express'", "from 'express4'"),
  ),
  Fastify: aProcess('fastify'),
  Hono: aProcess('hono'),
  'Nest on Express': nest('Express'),
  'Nest on Fastify': nest('Fastify'),
  Koa: koa,
  'h3 2': h3,
  'React Router': reactRouter,
  Elysia: onWeb(
    'other',
    'new Elysia',
    ({ app }: { app: { fetch: Bind } }) => app.fetch,
  ),
  'Nuxt 4 (Nitro 2)': nuxt,
  'Astro, its route called by a stand-in': async (variant) => {
    const files = Object.entries(shared()).map(
      ([name, text]) => [`src/${name}`, text] as const,
    )
    const route = 'src/pages/webhooks/stripe.ts'
    const program = {
      ...Object.fromEntries(files),
      [route]: blockOf('sveltekit-nuxt-astro', 'APIRoute'),
    }
    const { POST } = await loaded(program, variant, route)
    return servedByFetch((request) =>
      POST({ request, clientAddress: '192.0.2.1' }),
    )
  },
  'Vercel, its function called by a stand-in': onWeb(
    'vercel',
    'export const POST',
    ({ POST }: { POST: Bind }) => POST,
  ),
  'Bun and Deno, their handler on Node': onWeb(
    'bun-deno',
    'export function stripeWebhook',
    ({ stripeWebhook }: { stripeWebhook: (secret?: string) => Bind }) =>
      stripeWebhook(process.env.STRIPE_WEBHOOK_SECRET),
  ),
  'Workers, their module on Node': async (variant) => {
    const text = blockOf('workers', 'export default {')
      .replace(
        "import { env } from 'cloudflare:workers'",
        'const { env } = process',
      )
      .replace(/^export \{ EventStoreObject \}.*$/m, '')
    const program = await loaded(
      { 'worker.ts': text },
      variant,
      'worker.ts',
    )
    return servedByFetch(program.default.fetch)
  },
  'AWS Lambda': lambda,
  'Azure Functions': azure,
  'Google Cloud Functions': cloudFunction,
}

/** An app that is built with all variants in it, one a route. */
export interface BuiltApp {
  readonly app: string
  /** Where the framework expects the program of a page, by the name of its route. */
  readonly files: (route: string) => { readonly [path: string]: string }
  readonly pathOf: {
    readonly [recipe: string]: (route: string) => string
  }
  readonly build?: readonly string[]
  readonly start: readonly string[]
  readonly ready: RegExp
}

const NEXT = join(here, 'node_modules/next/dist/bin/next')
const VITE = join(here, 'node_modules/vite/bin/vite.js')

const nextFiles = (route: string) => ({
  [`app/${route}/route.ts`]: blockOf(
    'nextjs',
    'app/webhooks/stripe/route.ts',
  ),
  [`pages/api/${route}.ts`]: blockOf(
    'nextjs',
    'pages/api/webhooks/stripe.ts',
  ),
})
const nextPaths = {
  'Next.js, App router': (route: string) => `/${route}`,
  'Next.js, Pages router': (route: string) => `/api/${route}`,
}
const NEXT_READY = /(http:\/\/127\.0\.0\.1:\d+).*Ready in/s

export const BUILT: { readonly [name: string]: BuiltApp } = {
  'next start': {
    app: 'next',
    files: nextFiles,
    pathOf: nextPaths,
    build: [NEXT, 'build'],
    start: [NEXT, 'start', '-p', '0', '-H', '127.0.0.1'],
    ready: NEXT_READY,
  },
  'next dev': {
    app: 'next',
    files: nextFiles,
    pathOf: nextPaths,
    start: [NEXT, 'dev', '-p', '0', '-H', '127.0.0.1'],
    ready: NEXT_READY,
  },
  SvelteKit: {
    app: 'sveltekit',
    files: (route) => ({
      [`src/routes/webhooks/${route}/+server.ts`]: blockOf(
        'sveltekit-nuxt-astro',
        "from '@sveltejs/kit'\nimport { defineListener",
      ),
    }),
    pathOf: { SvelteKit: (route) => `/webhooks/${route}` },
    build: [VITE, 'build'],
    start: ['build/index.js'],
    ready: /Listening on (http:\S+)/,
  },
}

/** Builds and starts an app with these variants, each as its own route. */
export async function startedWith(
  { app, files, pathOf, build, start, ready }: BuiltApp,
  routes: {
    readonly [route: string]: readonly [
      Variant,
      (text: string) => string,
    ]
  },
): Promise<{
  readonly [recipe: string]: { readonly [route: string]: Running }
}> {
  const folder = folderOf({}, 'as the page has it', app)
  for (const [route, [variant, edit]] of Object.entries(routes)) {
    const edited = Object.entries(files(route)).map(
      ([path, text]) => [path, edit(text)] as const,
    )
    addTo(folder, Object.fromEntries(edited), variant)
  }
  const { STRIPE_WEBHOOK_SECRET: _, ...env } = process.env
  const quiet = {
    ...env,
    NEXT_TELEMETRY_DISABLED: '1',
    NODE_ENV: undefined,
  }
  if (build)
    await promisify(execFile)(process.execPath, build, {
      cwd: folder,
      env: quiet,
    })
  const { url, said } = await spawned(start, folder, ready)
  return Object.fromEntries(
    Object.entries(pathOf).map(([recipe, path]) => [
      recipe,
      Object.fromEntries(
        Object.keys(routes).map((route) => [
          route,
          { send: posting(url + path(route)), said },
        ]),
      ),
    ]),
  )
}
