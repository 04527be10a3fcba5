import { createAdaptorServer } from '@hono/node-server'
import type { Hono, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { exchange, type RawRequest, toBytes } from '../support/raw-http.ts'
import { serve } from '../support/servers.ts'

/** Bytes that would change if they were parsed and serialised again. */
export const BODY = '{ "b":1.0, "a":"\\u00e9 é" }'

type Send = (app: Hono, request: RawRequest) => Promise<{ status?: number; body?: string }>

const onNode =
  (framing?: { chunkBytes: number }): Send =>
  async (app, request) => {
    const { address } = await serve(createAdaptorServer({ fetch: app.fetch }))
    return { ...(await exchange(address, toBytes(request, framing))) }
  }

const onWeb: Send = async (app, { method, path, headers, body }) => {
  const sent = { method, headers: headers.map(([name, value]): [string, string] => [name, value]) }
  const response = await app.request(path, { ...sent, body: Buffer.from(body) })
  return { status: response.status, body: await response.text() }
}

export const WAYS: readonly (readonly [string, Send])[] = [
  ['on Node, with Content-Length', onNode()],
  ['on Node, in chunks', onNode({ chunkBytes: 7 })],
  ['on web APIs alone', onWeb],
]

/** Middlewares that may have read the body before and left it readable. */
export const BEFORE: readonly (readonly [string, readonly MiddlewareHandler[]])[] = [
  ['alone', []],
  ['behind hono/body-limit', [bodyLimit({ maxSize: 100_000 })]],
  [
    'behind hono/body-limit and a wait',
    [
      bodyLimit({ maxSize: 100_000 }),
      async (_c, next) => {
        await new Promise(setImmediate)
        await next()
      },
    ],
  ],
  [
    'behind a middleware that kept the bytes',
    [
      async (c, next) => {
        await c.req.arrayBuffer()
        await next()
      },
    ],
  ],
]
