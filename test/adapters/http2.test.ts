import { once } from 'node:events'
import { type ClientHttp2Stream, connect, constants, type Settings } from 'node:http2'
import Fastify, { type FastifyReply } from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type VerifyWebhookOptions, verifyWebhook } from '../../adapters/fastify.ts'
import { Log } from '../support/log.ts'
import type { Header } from '../support/raw-http.ts'
import { hmacEndpoint } from '../support/sender.ts'

/** A guarded route, a log of its requests, and a function that starts one. */
async function serve(
  options: VerifyWebhookOptions,
  {
    settings = {},
    handle = async () => {},
  }: { settings?: Settings; handle?: (reply: FastifyReply) => Promise<unknown> } = {},
) {
  const app = Fastify({ http2: true })
  onTestFinished(() => app.close())
  const errors: unknown[] = []
  app.setErrorHandler((error) => errors.push(error))
  const seen = new Log<'aborted' | 'close'>()
  app.register(async (scope) => {
    scope.addHook('onRequest', async ({ raw }) => {
      raw.on('aborted', () => seen.add('aborted')).on('close', () => seen.add('close'))
    })
    await scope.register(verifyWebhook, options)
    scope.post('/hook', async (_request, reply) => {
      await handle(reply)
      return 'ok'
    })
  })
  const session = connect(await app.listen({ port: 0, host: '127.0.0.1' }), { settings })
  onTestFinished(() => session.destroy())
  const begin = (headers: readonly Header[] = []) => {
    const all = { ...Object.fromEntries(headers), ':method': 'POST', ':path': '/hook' }
    return session.request(all, { endStream: false }).on('error', () => {})
  }
  return { begin, seen, errors }
}

/** Resolves when the bytes were sent. */
function written(stream: ClientHttp2Stream, bytes: Uint8Array): Promise<unknown> {
  return new Promise((resolve) => stream.write(bytes, resolve))
}

/** An endpoint whose lookup resolves when the test says so. */
function heldBack() {
  const { listener, verdicts } = hmacEndpoint()
  const asked = new Log<string>()
  const found = new Log<string>()
  const lookup = async () => {
    asked.add('asked')
    await found.reaches(1)
    return listener
  }
  return { lookup, asked, found, verdicts }
}

describe('a body on HTTP/2', () => {
  it.each([false, true])(
    'a body that is reset midway without an error is incomplete (its length announced: %s)',
    async (announced) => {
      const { listener, request, verdicts, calls } = hmacEndpoint()
      const { begin, errors } = await serve({ listener })
      const { headers, body } = await request()
      const length: Header[] = announced ? [['content-length', `${body.byteLength}`]] : []
      const stream = begin([...headers, ...length])
      await written(stream, body.subarray(0, -1))
      stream.destroy() // NO_ERROR
      await verdicts.reaches(1)
      expect(verdicts.entries).toEqual(['body_incomplete'])
      expect([calls.entries, errors]).toEqual([[], []])
    },
  )

  it('a body whose connection is gone midway is incomplete', async () => {
    const { listener, request, verdicts } = hmacEndpoint()
    const { begin } = await serve({ listener })
    const { headers, body } = await request()
    const stream = begin(headers)
    await written(stream, body.subarray(0, -1))
    stream.session?.destroy()
    await verdicts.reaches(1)
    expect(verdicts.entries).toEqual(['body_incomplete'])
  })

  it('a body is whole when its sender ends it, and then resets the stream', async () => {
    const { listener, request, verdicts } = hmacEndpoint()
    const { begin, seen } = await serve({ listener })
    const { headers, body } = await request()
    const stream = begin(headers)
    await new Promise<void>((resolve) => stream.end(body, resolve))
    stream.close(constants.NGHTTP2_NO_ERROR)
    await seen.has('close')
    expect(verdicts.entries).toEqual(['accepted'])
  })

  it.each(['NGHTTP2_CANCEL', 'NGHTTP2_NO_ERROR'] as const)(
    'a body of a sender that leaves (%s) before its listener is found is not an error of the developer',
    async (code) => {
      const { lookup, asked, found, verdicts } = heldBack()
      const { begin, seen, errors } = await serve({ listener: lookup })
      const stream = begin()
      await asked.reaches(1)
      stream.close(constants[code])
      await seen.reaches(1)
      found.add('found')
      await verdicts.reaches(1)
      expect(errors).toEqual([])
    },
  )

  it('a body that is reset midway without an error, before its listener is found, is incomplete', async () => {
    const { lookup, asked, found, verdicts } = heldBack()
    const { begin, seen } = await serve({ listener: lookup })
    const stream = begin()
    await written(stream, Buffer.from('{"a"'))
    await asked.reaches(1)
    stream.destroy()
    await seen.has('aborted')
    found.add('found')
    await verdicts.reaches(1)
    expect(verdicts.entries).toEqual(['body_incomplete'])
  })

  it('a body has a deadline, even if it is empty', async () => {
    const { listener } = hmacEndpoint()
    const { begin } = await serve({ listener, bodyTimeoutSeconds: 0.01 })
    const [answer] = await once(begin([['content-length', '0']]), 'response')
    expect(answer[':status']).toBe(400)
  })

  it('a body that is the slowest makes room for another: told to try again, its stream closed, its session open', async () => {
    const { listener, request, failures } = hmacEndpoint()
    const { begin } = await serve({ listener, maxConcurrentBodies: 1 })
    const { headers, body } = await request()
    const slow = begin(headers).setEncoding('utf8')
    await written(slow, body.subarray(0, 1))
    const cut = once(slow, 'response')
    const closed = once(slow, 'close')
    const quick = begin(headers)
    quick.end(body)
    const [[first], [second]] = await Promise.all([cut, once(quick, 'response')])
    expect([first[':status'], first['retry-after'], second[':status']]).toEqual([503, '1', 200])
    slow.resume()
    await closed
    const [next] = await once(begin((await request()).headers).end(body), 'response')
    expect(next[':status']).toBe(200)
    expect(failures.entries.map(String)).toEqual([expect.stringContaining('the slowest to arrive')])
  })

  it.each([65_535, 16])(
    'a body that is too large gets its whole reply before its stream is reset (window: %i)',
    async (initialWindowSize) => {
      const { listener, request } = hmacEndpoint()
      const { begin } = await serve({ listener }, { settings: { initialWindowSize } })
      const tooLarge = begin((await request()).headers).setEncoding('utf8')
      let reply = ''
      tooLarge.on('data', (text) => {
        reply += text
      })
      tooLarge.write(Buffer.alloc(65_537, ' '))
      await once(tooLarge, 'close')
      expect(reply).toBe('{"status":400,"title":"Bad Request","code":"body_too_large"}')
      expect(tooLarge.rstCode).toBe(constants.NGHTTP2_NO_ERROR)
      const { headers, body } = await request()
      const [answer] = await once(begin(headers).end(body), 'response')
      expect(answer[':status']).toBe(200)
    },
  )
})

describe('a response on HTTP/2', () => {
  it('a response counts as the status that was sent, though its code is set again', async () => {
    const { listener, request, calls } = hmacEndpoint()
    const handle = async (reply: FastifyReply) => {
      reply.hijack().raw.writeHead(500).end()
      reply.raw.statusCode = 200
    }
    const { begin } = await serve({ listener }, { handle })
    const { headers, body } = await request()
    const [answer] = await once(begin(headers).end(body), 'response')
    expect(answer[':status']).toBe(500)
    await calls.reaches(2)
    expect(calls.entries[1]).toMatch(/^release /)
  })

  it.each(['NGHTTP2_CANCEL', 'NGHTTP2_NO_ERROR'] as const)(
    'a response whose client left (%s) commits once its handler has returned',
    async (code) => {
      const { listener, request, verdicts, calls } = hmacEndpoint()
      const opened = new Log<string>()
      const { begin, seen } = await serve({ listener }, { handle: () => opened.has('opened') })
      const { headers, body } = await request()
      const stream = begin(headers)
      stream.end(body)
      await verdicts.has('accepted')
      stream.close(constants[code])
      await seen.has('close')
      expect(calls.entries).toHaveLength(1)
      opened.add('opened')
      await calls.reaches(2)
      expect(calls.entries[1]).toMatch(/^commit /)
    },
  )
})
