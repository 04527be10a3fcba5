import { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { RequestHandler } from 'express'
import { describe, expect, it } from 'vitest'
import { verifyWebhook } from '../../adapters/express.ts'
import { ListenerConfigError } from '../../src/index.ts'
import { exchange, toBytes } from '../support/raw-http.ts'
import { hmacEndpoint } from '../support/sender.ts'
import { serve } from '../support/servers.ts'
import { BODY, behind, expectMistake, FRAMEWORKS, keeper, running } from './express-app.ts'

/** Many hosts keep the raw body in the `verify` option of Express's own parsers. */
function keepRawBody(request: IncomingMessage, _response: unknown, bytes: Buffer): void {
  Object.assign(request, { rawBody: bytes })
}

describe.each(FRAMEWORKS)('%s', (_, create) => {
  it('verifyWebhook gives the handler the event, and its payload as the body', async () => {
    const { status, events, bodies } = await behind(create, [])
    expect(status).toBe(200)
    expect(events[0]?.payload).toEqual({ b: 1, a: 'é' })
    expect(Buffer.from(events[0]?.rawBody ?? []).toString()).toBe(BODY)
    expect(bodies).toEqual([{ b: 1, a: 'é' }])
  })

  it.each([
    ['express.json()', create.json()],
    ['express.json() for every type', create.json({ type: '*/*', strict: false })],
    ['express.text()', create.text({ type: '*/*' })],
  ])(
    'the error tells the developer what to change behind %s, and nothing is accepted',
    async (_name, parser) => {
      expectMistake(
        await behind(create, [parser]),
        /before any body parser .*, or keep the bytes in Node's request\.rawBody$/,
      )
    },
  )

  it('verifyWebhook tells the developer if a middleware has read the stream', async () => {
    const reader: RequestHandler = (request, _response, next) => {
      request.on('end', () => next()).resume()
    }
    expectMistake(
      await behind(create, [reader]),
      /before any body parser .*, or keep the bytes in Node's request\.rawBody$/,
    )
  })

  it('verifyWebhook tells the developer if a middleware has read a part of the stream', async () => {
    const reader: RequestHandler = (request, _response, next) => {
      request.once('readable', () => next(void request.read(4)))
    }
    expectMistake(
      await behind(create, [reader]),
      /before any body parser .*, or keep the bytes in Node's request\.rawBody$/,
    )
  })

  it('verifyWebhook tells the developer if a middleware has read an empty stream to its end', async () => {
    const endpoint = hmacEndpoint()
    const reader: RequestHandler = (request, _response, next) => {
      request.on('end', () => next()).resume()
    }
    const { errors, send } = await running(create, (app) => {
      app.post('/hook', reader, verifyWebhook(endpoint.listener), keeper().handler)
    })
    expect(await send(await endpoint.request({ body: '' }))).toBe(500)
    expect(errors).toEqual([expect.any(ListenerConfigError)])
  })

  it('the body is read behind a middleware that paused the stream', async () => {
    const pauser: RequestHandler = (request, _response, next) => {
      request.pause()
      next()
    }
    const { status, errors } = await behind(create, [pauser])
    expect([status, errors]).toEqual([200, []])
  })

  it.each([
    ['express.raw()', create.raw({ type: '*/*' })],
    ['express.json() that keeps req.rawBody', create.json({ verify: keepRawBody })],
    ['express.text() that keeps req.rawBody', create.text({ type: '*/*', verify: keepRawBody })],
  ])('the exact bytes are verified behind %s', async (_name, parser) => {
    const { status, events } = await behind(create, [parser])
    expect(status).toBe(200)
    expect(Buffer.from(events[0]?.rawBody ?? []).toString()).toBe(BODY)
  })

  it.each([
    ['express.json()', create.json()],
    ['express.text()', create.text({ type: '*/*' })],
    ['express.raw()', create.raw({ type: '*/*' })],
    ['express.urlencoded()', create.urlencoded({ type: '*/*', extended: false })],
  ])('%s may follow, for the other routes of the app: the payload stays', async (_name, parser) => {
    const { listener, request } = hmacEndpoint()
    const { handler, events, bodies } = keeper()
    const { send, errors } = await running(create, (app) => {
      app.use('/hook', verifyWebhook(listener))
      app.use(parser)
      app.post('/hook', handler)
    })
    expect([await send(await request({ body: BODY })), errors]).toEqual([200, []])
    expect([events.length, bodies]).toEqual([1, [{ b: 1, a: 'é' }]])
  })

  it('verifyWebhook refuses 65,537 bytes that express.raw() has read already', async () => {
    const { listener, request } = hmacEndpoint()
    const { handler, events } = keeper()
    const { send } = await running(create, (app) => {
      app.post('/hook', create.raw({ type: '*/*', limit: '1mb' }), verifyWebhook(listener), handler)
    })
    expect(await send(await request({ body: `"${'x'.repeat(65_535)}"` }))).toBe(400)
    expect(events).toEqual([])
  })

  it('verifyWebhook does not accept a rawBody that is a string', async () => {
    const textKeeper: RequestHandler = (request, _response, next) => {
      request.on('end', () => {
        Object.assign(request, { rawBody: BODY })
        next()
      })
      request.resume()
    }
    expectMistake(await behind(create, [textKeeper]), /body/)
  })

  it.each([
    ['alone', []],
    ['behind express.raw()', [create.raw({ type: '*/*' })]],
    ['behind a host that keeps req.rawBody', [create.json({ verify: keepRawBody })]],
  ])('verifyWebhook twice, %s, is an error of the developer, no duplicate', async (_name, before) => {
    const endpoint = hmacEndpoint()
    const guard = verifyWebhook(endpoint.listener)
    const { status, errors, events } = await behind(create, [...before, guard], endpoint)
    expect(status).toBe(500)
    expect(errors).toEqual([expect.any(ListenerConfigError)])
    expect(events).toEqual([])
    expect(endpoint.verdicts.entries).toEqual(['accepted'])
  })

  it('verifyWebhook passes the argument of next() to the error handler, and frees the event', async () => {
    const endpoint = hmacEndpoint()
    const { errors, send } = await running(create, (app) => {
      app.post('/hook', verifyWebhook(endpoint.listener), (_request, _response, next) => {
        next(new Error('no database'))
      })
    })
    const sent = await endpoint.request()
    expect(await send(sent)).toBe(500)
    expect(await send(sent)).toBe(500)
    expect(errors).toEqual([new Error('no database'), new Error('no database')])
  })

  it('verifyWebhook passes a thrown error to the error handler, and frees the event', async () => {
    const endpoint = hmacEndpoint()
    const { errors, send } = await running(create, (app) => {
      app.post('/hook', verifyWebhook(endpoint.listener), () => {
        throw new Error('no database')
      })
    })
    const sent = await endpoint.request()
    expect(await send(sent)).toBe(500)
    expect(await send(sent)).toBe(500)
    expect(errors).toEqual([new Error('no database'), new Error('no database')])
  })

  it('verifyWebhook frees the event if a middleware has made req.body read-only', async () => {
    const endpoint = hmacEndpoint()
    const { errors, send } = await running(create, (app) => {
      app.use((request, _response, next) => {
        Object.defineProperty(request, 'body', { get: () => undefined })
        next()
      })
      app.post('/hook', verifyWebhook(endpoint.listener))
    })
    const sent = await endpoint.request()
    expect([await send(sent), await send(sent)]).toEqual([500, 500])
    expect(errors).toEqual([expect.any(TypeError), expect.any(TypeError)])
  })

  it('verifyWebhook frees the event if a handler answers 500, forgets to return, and answers 200, which Node does not send', async () => {
    const endpoint = hmacEndpoint()
    const { send } = await running(create, (app) => {
      app.post('/hook', verifyWebhook(endpoint.listener), (_request, response) => {
        response.status(500).end()
        response.status(200).end()
      })
    })
    const sent = await endpoint.request()
    expect([await send(sent), await send(sent)]).toEqual([500, 500])
  })
})

it('verifyWebhook accepts requests of hosts that leave rawHeaders empty', async () => {
  const { listener, request } = hmacEndpoint()
  const { method, headers, body } = await request()
  const byHand = Object.assign(Readable.from([body]), {
    method,
    rawHeaders: [],
    headers: Object.fromEntries(headers),
    socket: {},
  })
  const response = Object.assign(new EventEmitter(), { statusCode: 200, writableEnded: false })
  const error = await new Promise((next) => {
    verifyWebhook(listener)(byHand as never, response as never, next)
  })
  expect(error).toBeUndefined()
  expect(byHand).toMatchObject({ webhook: { listenerId: 'L1' } })
})

it.each(['before', 'after'])(
  'a body is read to its end even if a reader that came %s it pauses at its last byte',
  async (order) => {
    const { listener, request } = hmacEndpoint()
    const verify = verifyWebhook(listener)
    const { address } = await serve((incoming, response) => {
      const pauseEach = () => incoming.on('data', () => incoming.pause())
      if (order === 'before') pauseEach()
      verify(incoming, response, () => response.end())
      if (order === 'after') pauseEach()
    })
    expect((await exchange(address, toBytes(await request())))?.status).toBe(200)
  },
)
