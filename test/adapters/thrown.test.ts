import type { RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { describe, expect, it, vi } from 'vitest'
import { verifyWebhook as onHono } from '../../adapters/hono.ts'
import { webhookHandler } from '../../adapters/web.ts'
import type { Listener } from '../../src/index.ts'
import type { Listening } from '../support/fetch-servers.ts'
import { exchange, toBytes } from '../support/raw-http.ts'
import { hmacEndpoint } from '../support/sender.ts'
import { serve } from '../support/servers.ts'
import { MOUNTED } from './mounted.ts'

/** A server whose handler throws. The framework's own error handler answers. */
type Start = (listener: Listener, fail: () => never) => Promise<Listening>

const hono = (app: Hono) => {
  app.onError((error, c) =>
    'getResponse' in error ? (error as HTTPException).getResponse() : c.text('', 500),
  )
  return app
}

/** Without Node's objects, as on runtimes that have none. */
const honoOnWeb: Start = (listener, fail) => {
  const app = hono(new Hono().post('/hook', onHono(listener), fail))
  return serve(getRequestListener((request) => app.fetch(request)))
}

/** Here, as in `every()` of hono/combine, the error passes `verifyWebhook` on its way to `onError`. */
const honoThrownPast: Start = (listener, fail) => {
  const verify = onHono(listener)
  const app = hono(
    new Hono().post('/hook', async (c) => (await verify(c as never, async () => fail())) ?? c.res),
  )
  return serve(getRequestListener((request) => app.fetch(request)))
}

const web: Start = (listener, fail) => {
  const handle = webhookHandler(listener, fail)
  const answer: RequestListener = getRequestListener((request) =>
    handle(request).catch(() => new Response(null, { status: 500 })),
  )
  return serve(answer)
}

const upstream = (status: number) => Object.assign(new Error('from upstream'), { status, statusCode: status })
const exception = (status: number) => new HTTPException(status as 500)

const LAPSES = 'the lease is left to lapse'
const RELEASED = 'the event is released'

type Row = readonly [
  framework: string,
  what: string,
  then: string,
  start: Start,
  error: Error,
  status: number,
]

const rowsOf = (
  framework: string,
  start: Start,
  [what, make]: readonly [string, (status: number) => Error],
  answers: { readonly [thrown: number]: number },
) =>
  Object.entries(answers).map(([thrown, status]): Row => {
    const then = [408, 503, 504].includes(status) ? LAPSES : RELEASED
    return [framework, `${what} ${thrown}`, then, start, make(Number(thrown)), status]
  })

const UPSTREAM = ["an upstream's error of status", upstream] as const
const EXCEPTION = ['HTTPException', exception] as const

const AS_THROWN = { 400: 400, 403: 403, 404: 404, 408: 408, 429: 429, 500: 500, 502: 502, 503: 503, 504: 504 }
const AS_500 = { 403: 500, 429: 500, 504: 500 }

/** Those whose error handler gives each error 500, whatever status it names. */
const ALWAYS_500 = ['Hono on Node', 'node:http']

const ROWS: readonly Row[] = [
  ...Object.entries(MOUNTED).flatMap(([name, mount]) => {
    const start: Start = async (listener, fail) => serve(await mount(listener, async () => fail()))
    return [
      ...rowsOf(name, start, UPSTREAM, ALWAYS_500.includes(name) ? AS_500 : AS_THROWN),
      ...(name.startsWith('Hono') ? rowsOf(name, start, EXCEPTION, AS_THROWN) : []),
    ]
  }),
  ...Object.entries({
    'Hono on web APIs alone': honoOnWeb,
    'Hono, past the middleware': honoThrownPast,
  }).flatMap(([name, start]) => [
    ...rowsOf(name, start, EXCEPTION, AS_THROWN),
    ...rowsOf(name, start, UPSTREAM, AS_500),
  ]),
  ...rowsOf('hookgate/web', web, UPSTREAM, AS_500),
  ...rowsOf('hookgate/web', web, EXCEPTION, AS_500),
]

describe('a throw counts as the status that its framework gives it', () => {
  it.each(ROWS)('%s, %s: %s', async (_framework, _what, then, start, error, status) => {
    vi.spyOn(console, 'error').mockImplementation(() => {}) // Hono writes the error
    const endpoint = hmacEndpoint()
    const { address } = await start(endpoint.listener, () => {
      throw error
    })
    const sent = toBytes(await endpoint.request())
    expect((await exchange(address, sent))?.status).toBe(status)
    if (then === RELEASED) await endpoint.calls.reaches(2)
    expect((await exchange(address, sent))?.status).toBe(then === LAPSES ? 503 : status)
    const verbs = endpoint.calls.entries.map((call) => call.split(' ')[0])
    expect(verbs.slice(0, 3)).toEqual(then === LAPSES ? ['claim', 'claim'] : ['claim', 'release', 'claim'])
    expect(endpoint.verdicts.entries[1]).toBe(then === LAPSES ? 'event_in_progress' : 'accepted')
  })
})
