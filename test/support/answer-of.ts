import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as nodeServer from '@hono/node-server'
import express from 'express'
import Fastify from 'fastify'
import * as hono from 'hono'
import { onTestFinished } from 'vitest'
import { factoryName, schemeFactory } from './schemes.ts'

/** What the programs of pages import, schemes aside. Those of hookgate are as fresh as vi.resetModules() makes them. */
const MODULES: { readonly [name: string]: () => Promise<object> } = {
  express: async () => ({ default: express }),
  fastify: async () => ({ default: Fastify }),
  hono: async () => hono,
  '@hono/node-server': async () => nodeServer,
  hookgate: () => import('../../src/index.ts'),
  'hookgate/express': () => import('../../adapters/express.ts'),
  'hookgate/fastify': () => import('../../adapters/fastify.ts'),
  'hookgate/hono': () => import('../../adapters/hono.ts'),
  'hookgate/web': () => import('../../adapters/web.ts'),
  'hookgate/stores/memory': () => import('../../src/stores/memory.ts'),
}

export const IMPORT = /^import (?:(\w+)|\{ (.+) \}) from '(.+)'$/gm

async function moduleOf(name: string): Promise<object> {
  const [, scheme] = /^hookgate\/schemes\/(.+)$/.exec(name) ?? []
  if (scheme !== undefined) return { [factoryName(scheme)]: await schemeFactory(scheme) }
  const load = MODULES[name]
  if (load === undefined) throw new Error(`there is no module ${name} here`)
  return load()
}

export type Answer = (request: Request) => Promise<Response>

/** The one of this moment: a test may replace it, to be the hosts that a program asks. */
const ownFetch = fetch

/** Runs a program of a page, and answers as it does. Its server gets a free port in place of 3000, or none. */
export async function answerOf(code: string): Promise<Answer> {
  const names: { [name: string]: unknown } = {}
  for (const [, whole, members, from = ''] of code.matchAll(IMPORT)) {
    const module = await moduleOf(from)
    for (const name of members?.split(', ') ?? []) names[name] = Reflect.get(module, name)
    if (whole !== undefined) names[whole] = Reflect.get(module, 'default')
  }
  const given: { app?: { fetch: Answer }; POST?: Answer; GET?: Answer } = {}
  names.serve = (app: { fetch: Answer }) => {
    given.app = app
  }
  const body = code
    .replaceAll(IMPORT, '')
    .replace('export function POST', 'given.POST = function')
    .replace('export { POST as GET }', 'given.GET = given.POST')
    .replace(/^app\.listen\(3000\)/m, 'given.app = app.listen(0)')
    .replace('await app.listen({ port: 3000 })', 'await app.listen({ port: 0 }); given.app = app.server')
  const AsyncFunction = (async () => {}).constructor
  await Reflect.construct(AsyncFunction, ['given', ...Object.keys(names), body])(
    given,
    ...Object.values(names),
  )
  const { app, GET, POST } = given
  if (POST !== undefined)
    return async (request) =>
      (request.method === 'GET' ? GET : POST)?.(request) ?? new Response(null, { status: 405 })
  if (app === undefined) throw new Error('the program listens with nothing')
  if (typeof app.fetch === 'function') return async (request) => app.fetch(request)
  const server = app as unknown as Server // of Express or Fastify
  if (!server.listening) await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo // it listens on a port
  return (request) =>
    ownFetch(new Request(request.url.replace('http://site', `http://127.0.0.1:${port}`), request))
}
