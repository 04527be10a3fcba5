import { readFileSync } from 'node:fs'
import * as nodeServer from '@hono/node-server'
import express from 'express'
import Fastify from 'fastify'
import * as hono from 'hono'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import * as forExpress from '../../adapters/express.ts'
import * as forFastify from '../../adapters/fastify.ts'
import * as forHono from '../../adapters/hono.ts'
import * as forWeb from '../../adapters/web.ts'
import * as hookgate from '../../src/index.ts'
import * as schemes from '../../src/schemes/stripe.ts'
import * as stores from '../../src/stores/memory.ts'
import { signAs } from '../../src/testing/index.ts'
import { SCHEME_NAMES } from '../support/schemes.ts'

const page = readFileSync(new URL('../../docs/site/index.md', import.meta.url), 'utf8')
const SECRET = 'whsec_of_this_test'

/** What the programs import, and which port their servers get: a free one in place of 3000. */
const MODULES: { readonly [name: string]: object } = {
  express: { default: express },
  fastify: { default: Fastify },
  hono,
  '@hono/node-server': nodeServer,
  hookgate,
  'hookgate/express': forExpress,
  'hookgate/fastify': forFastify,
  'hookgate/hono': forHono,
  'hookgate/web': forWeb,
  'hookgate/schemes/stripe': schemes,
  'hookgate/stores/memory': stores,
}
const IMPORT = /^import (?:(\w+)|\{ (.+) \}) from '(.+)'$/gm

/** The programs of the first page, by framework, each with what it has npm install. */
const PROGRAMS = [...page.matchAll(/^```sh\nnpm install ([^\n]*)\n```\n\n```js\n(.*?)^```$/gms)].map(
  ([, installs = '', code = '']) => ({
    framework: /from .(express|fastify|hono)./.exec(code)?.[1] ?? 'next',
    installs: installs.split(' '),
    code,
  }),
)

type Answer = (request: Request) => Promise<Response>

/** Runs a program without its server: what it would listen with, it gives to the test. */
async function answerOf(code: string): Promise<Answer> {
  const names: { [name: string]: unknown } = {}
  for (const [, whole, members, from = ''] of code.matchAll(IMPORT)) {
    const module = MODULES[from]
    if (module === undefined) throw new Error(`the test knows no module ${from}`)
    for (const name of members?.split(', ') ?? []) names[name] = Reflect.get(module, name)
    if (whole !== undefined) names[whole] = Reflect.get(module, 'default')
  }
  const given: { app?: { fetch: Answer }; POST?: Answer } = {}
  names.serve = (app: { fetch: Answer }) => {
    given.app = app
  }
  const body = code
    .replaceAll(IMPORT, '')
    .replace('export function POST', 'given.POST = function')
    .replace('app.listen(3000)', 'given.app = app.listen(0)')
    .replace('await app.listen({ port: 3000 })', 'await app.listen({ port: 0 }); given.app = app.server')
  const AsyncFunction = (async () => {}).constructor
  await Reflect.construct(AsyncFunction, ['given', ...Object.keys(names), body])(
    given,
    ...Object.values(names),
  )
  if (given.POST !== undefined) return given.POST
  const { app } = given
  if (app === undefined) throw new Error('the program listens with nothing')
  if (typeof app.fetch === 'function') return async (request) => app.fetch(request)
  const server = app as unknown as import('node:http').Server // of Express or Fastify
  if (!server.listening) await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as import('node:net').AddressInfo // it listens on a port
  return (request) =>
    fetch(new Request(request.url.replace('http://site', `http://127.0.0.1:${port}`), request))
}

describe("the programs of the site's first page", () => {
  it('the programs are those of Express, Fastify, Hono and Next.js, in this order', () => {
    expect(PROGRAMS.map(({ framework }) => framework)).toEqual(['express', 'fastify', 'hono', 'next'])
  })

  it.each(PROGRAMS)(
    'the program of $framework needs no more than what it has you install',
    ({ code, installs }) => {
      const packages = [...code.matchAll(IMPORT)].map(([, , , from = '']) =>
        from.replace(/^((?:@[^/]+\/)?[^/]+).*/, '$1'),
      )
      expect([...new Set(packages)].toSorted()).toEqual(installs.toSorted())
    },
  )

  it.each(PROGRAMS)('the program of $framework answers as the picture beside it says', async ({ code }) => {
    vi.stubEnv('STRIPE_WEBHOOK_SECRET', SECRET)
    const logged = vi.spyOn(console, 'log').mockImplementation(() => {})
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    onTestFinished(() => {
      vi.unstubAllEnvs()
      vi.restoreAllMocks()
    })
    const answer = await answerOf(code)
    const sign = (id: string, timestamp?: number) =>
      signAs(schemes.stripe, {
        secret: SECRET,
        body: { id, type: 'invoice.paid' },
        ...(timestamp && { timestamp }),
      })
    const good = await sign('evt_1')
    const tampered = { ...(await sign('evt_2')), body: '{"id":"evt_3","type":"charge.failed"}' }
    const late = await sign('evt_4', Math.floor(Date.now() / 1000) - 3_600)
    const answers: string[] = []
    for (const request of [good, good, tampered, late]) {
      const { status } = await answer(new Request('http://site/webhooks/stripe', request))
      answers.push(`${status}`)
    }
    expect(answers).toEqual([...page.matchAll(/<td>([0-9]{3})<\/td>/g)].map(([, status]) => status))
    expect(logged.mock.calls).toEqual([['invoice.paid', 'evt_1']])
  })
})

it("the site's first page does not count more senders than there are", () => {
  const [, others] = /more than ([0-9]+) other senders/.exec(page) ?? []
  expect(SCHEME_NAMES.length - 4).toBeGreaterThan(Number(others))
})
