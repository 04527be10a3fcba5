import { once } from 'node:events'
import { connect, constants, createServer, type Http2ServerResponse } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { verifyWebhook } from '../../adapters/express.ts'
import { Log } from '../support/log.ts'
import { hmacEndpoint } from '../support/sender.ts'

type Answer = (response: Http2ServerResponse) => unknown
type Outcome = 'commit' | 'release' | 'nothing'

const { HTTP2_HEADER_STATUS: STATUS, NGHTTP2_CANCEL, NGHTTP2_INTERNAL_ERROR, NGHTTP2_NO_ERROR } = constants
const THIS_FILE = fileURLToPath(import.meta.url)
const LENGTH = { 'content-length': 2 }

/** Handlers that answer by the stream below the response, and never call `response.end()`. */
const ANSWERS: { readonly [name: string]: readonly [Outcome, Answer] } = {
  'respond() with 200 and no body': [
    'commit',
    ({ stream }) => stream.respond({ [STATUS]: 200 }, { endStream: true }),
  ],
  'respond() with 204': ['commit', ({ stream }) => stream.respond({ [STATUS]: 204 })],
  'respond() without a status, which is 200': [
    'commit',
    ({ stream }) => stream.respond({}, { endStream: true }),
  ],
  'respond(), and the body later': [
    'commit',
    ({ stream }) => {
      stream.respond({ [STATUS]: 201, ...LENGTH })
      setImmediate(() => stream.end('{}'))
    },
  ],
  'respondWithFile()': ['commit', ({ stream }) => stream.respondWithFile(THIS_FILE, { [STATUS]: 200 })],
  'respond() with 500': ['release', ({ stream }) => stream.respond({ [STATUS]: 500 }, { endStream: true })],
  'respondWithFile() with 404': [
    'release',
    ({ stream }) => stream.respondWithFile(THIS_FILE, { [STATUS]: 404 }),
  ],
  'respond() with 503': ['nothing', ({ stream }) => stream.respond({ [STATUS]: 503 }, { endStream: true })],
  'respond() with 200, of which the body is cut off': [
    'nothing',
    ({ stream }) => {
      stream.respond({ [STATUS]: 200, ...LENGTH })
      stream.write('{', () => stream.close(NGHTTP2_INTERNAL_ERROR))
    },
  ],
  'respond() with 200, of which the body is cut off without an error': [
    'nothing',
    ({ stream }) => {
      stream.respond({ [STATUS]: 200, ...LENGTH })
      stream.write('{', () => stream.close(NGHTTP2_NO_ERROR))
    },
  ],
  'close() alone': ['nothing', ({ stream }) => stream.close(NGHTTP2_INTERNAL_ERROR)],
  'close() alone, without an error': ['nothing', ({ stream }) => stream.close(NGHTTP2_NO_ERROR)],
}

/** A server of `node:http2`, and a client of it. */
async function served(answer: Answer) {
  const endpoint = hmacEndpoint()
  const verify = verifyWebhook(endpoint.listener)
  const closed = new Log<'close'>()
  const server = createServer((request, response) => {
    response.on('close', () => closed.add('close'))
    verify(request as never, response as never, () => void answer(response)) // the types are of HTTP/1
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`) // it listens on a port
  onTestFinished(() => session.destroy())
  const { headers, body } = await endpoint.request()
  const send = () => {
    const stream = session.request({ ...Object.fromEntries(headers), ':method': 'POST', ':path': '/hook' })
    return stream
      .on('error', () => {})
      .resume()
      .end(body)
  }
  /** What the store was asked after the claim, once the response is closed. */
  const settled = async () => {
    await closed.reaches(1)
    await new Promise(setImmediate)
    const [, verb = 'nothing'] = endpoint.calls.entries.map((call) => call.split(' ')[0])
    return verb
  }
  return { send, settled }
}

describe('an answer through the stream of HTTP/2', () => {
  it.each(Object.entries(ANSWERS))('the event is settled by %s', async (_, [outcome, answer]) => {
    const { send, settled } = await served(answer)
    send()
    expect(await settled()).toBe(outcome)
  })

  it.each(['before its headers', 'after its headers'])(
    'a reset by the client %s settles nothing: the handler has not answered',
    async (when) => {
      const entered = new Log<'entered'>()
      const { send, settled } = await served(({ stream }) => {
        if (when === 'after its headers') stream.respond({ [STATUS]: 200, ...LENGTH })
        entered.add('entered')
      })
      const stream = send()
      await entered.reaches(1)
      stream.close(NGHTTP2_CANCEL)
      expect(await settled()).toBe('nothing')
    },
  )

  it('a reset by the client after a complete answer changes nothing', async () => {
    const { send, settled } = await served(({ stream }) =>
      stream.respond({ [STATUS]: 200 }, { endStream: true }),
    )
    const stream = send()
    stream.on('response', () => stream.close(NGHTTP2_CANCEL))
    expect(await settled()).toBe('commit')
  })
})
