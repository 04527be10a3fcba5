import { Readable } from 'node:stream'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { verifyWebhook as onExpress } from '../../adapters/express.ts'
import { verifyWebhook as onHono } from '../../adapters/hono.ts'
import { webhookHandler } from '../../adapters/web.ts'
import { type Listener, ListenerConfigError, type Rejected, type Verdict } from '../../src/index.ts'
import { Log } from '../support/log.ts'
import { hmacEndpoint } from '../support/sender.ts'

const refusal = (members: object, message = 'Payload Too Large') => Object.assign(new Error(message), members)

/** Answers a request, or throws what the framework's error path gets. */
type Handle = (request: Request) => Promise<Response>

const HOSTS: { readonly [name: string]: (listener: Listener) => Handle } = {
  'a fetch handler': (listener) => webhookHandler(listener, () => {}),
  Hono: (listener) => async (request) => {
    const app = new Hono().post('/hook', onHono(listener), (c) => c.text('ok'))
    app.onError((error) => {
      throw error
    })
    return app.fetch(request)
  },
}

/** A request whose body fails with this error after its first bytes. */
function failing(error: unknown, signal?: AbortSignal): Request {
  let hasBegun = false
  const body = new ReadableStream({
    pull(controller) {
      if (hasBegun) controller.error(error)
      else controller.enqueue(new Uint8Array(9))
      hasBegun = true
    },
  })
  const init = { method: 'POST', body, duplex: 'half', ...(signal && { signal }) } as const
  return new Request('http://localhost/hook', init)
}

function heard() {
  const verdicts = new Log<Verdict>()
  const { listener, calls } = hmacEndpoint({ onVerdict: (verdict) => void verdicts.add(verdict) })
  return { listener, calls, refused: () => verdicts.entries as readonly Rejected[] } // none is accepted
}

describe.each(Object.entries(HOSTS))('a body whose stream fails, in %s', (_, mount) => {
  it.each([
    ["SvelteKit's", refusal({ status: 413 }, 'Content-length of 600000 exceeds limit of 524288 bytes.')],
    ["Nitro's", refusal({ statusCode: 413, statusMessage: 'Payload Too Large' })],
  ])(
    'a limit of the host that is lower than that of the listener is a mistake, which names both: %s',
    async (_name, error) => {
      const { listener, calls, refused } = heard()
      const mistake = await mount(listener)(failing(error)).catch((thrown: unknown) => thrown)
      expect(mistake).toBeInstanceOf(ListenerConfigError)
      expect(mistake).toMatchObject({ option: 'maxBodyBytes', cause: error })
      expect(String(mistake)).toContain(error.message)
      expect([refused(), calls.entries]).toEqual([[], []])
    },
  )

  it.each([
    ['an Error', new TypeError('a broken encoding\n\u001b[2J'), 'TypeError: a broken encoding \\u001b[2J'],
    ['another status', refusal({ status: 400 }, 'bad chunk'), 'Error: bad chunk'],
    ['a long text', new Error('x'.repeat(10_000)), `Error: ${'x'.repeat(233)}…`],
    ['no error', 'a text', 'String: '],
    ['nothing', undefined, 'undefined: '],
  ])('the error is named, and is the cause of the refusal: %s', async (_name, error, shown) => {
    const { listener, calls, refused } = heard()
    expect((await mount(listener)(failing(error))).status).toBe(400)
    expect(refused()).toMatchObject([
      {
        reason: 'body_incomplete',
        detail: `the stream of the body failed before its end (${shown})`,
        ...(error !== undefined && { cause: error }),
      },
    ])
    expect(calls.entries).toEqual([])
  })

  it.each([
    ['Node', Object.assign(new Error('aborted'), { code: 'ECONNRESET' })],
    ['undici', new TypeError('terminated')],
    [
      'a pipeline of Node',
      Object.assign(new Error('Premature close'), { code: 'ERR_STREAM_PREMATURE_CLOSE' }),
    ],
    ['Bun', new DOMException('The connection was closed.', 'AbortError')],
    ['Deno', new TypeError('error reading a body from connection: unexpected end of file')],
    ['Workers', new Error('Network connection lost.')],
  ])('a connection that is gone is told as one: %s', async (_name, error) => {
    const { listener, refused } = heard()
    await mount(listener)(failing(error))
    expect(refused()).toMatchObject([
      {
        reason: 'body_incomplete',
        detail: 'the connection ended before the body was complete',
        cause: error,
      },
    ])
  })

  it('an error that cannot even be named is answered too', async () => {
    const { listener, refused } = heard()
    const unnameable = {
      get [Symbol.toStringTag](): never {
        throw new Error('no')
      },
    }
    expect((await mount(listener)(failing(unnameable))).status).toBe(400)
    expect(refused()[0]?.detail).toBe('the stream of the body failed before its end (Object: )')
  })

  it('a request that is aborted is told as a connection that is gone, whatever its stream says', async () => {
    const { listener, refused } = heard()
    await mount(listener)(failing(new Error('of the host'), AbortSignal.abort())).catch(() => {})
    expect(refused()).toMatchObject([{ detail: 'the connection ended before the body was complete' }])
  })
})

it('the error of a Node request that a middleware has destroyed is named', async () => {
  const { listener, refused } = heard()
  const request = Object.assign(new Readable({ read() {} }), {
    method: 'POST',
    rawHeaders: ['content-length', '9'],
    headers: {},
    socket: { destroyed: false },
    httpVersionMajor: 1,
  })
  const response = { on() {}, writeHead: () => ({ end() {} }), writableEnded: false }
  onExpress(listener)(request as never, response as never, () => {}) // the members that it reads
  await new Promise(setImmediate)
  const error = new Error('the antivirus refused it')
  request.destroy(error)
  await expect.poll(refused).toMatchObject([
    {
      detail: 'the stream of the body failed before its end (Error: the antivirus refused it)',
      cause: error,
    },
  ])
})
