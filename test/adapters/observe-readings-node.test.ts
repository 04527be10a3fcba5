import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { PassThrough, Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import type { Request } from 'express'
import { describe, expect, it } from 'vitest'
import { observeWebhook } from '../../adapters/express.ts'
import { defineListener, type Listener } from '../../src/index.ts'
import { stripe } from '../../src/schemes/stripe.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { signAs } from '../../src/testing/index.ts'
import { Log } from '../support/log.ts'
import { exchange, toBytes } from '../support/raw-http.ts'
import { serve } from '../support/servers.ts'

const secret = 'whsec_beside-the-old-check-0123456789'
const BODY = JSON.stringify({ id: 'evt_1', type: 'mäin', x: 'x'.repeat(200_000) })

type Read = (request: IncomingMessage) => Promise<string | Buffer>

const turn = () => new Promise((resolve) => setTimeout(resolve, 1))

/** Ways to read all of a body, as text or bytes. */
const WHOLE: { readonly [name: string]: Read } = {
  'data and end': (request) =>
    new Promise((resolve) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => {
        chunks.push(Buffer.from(chunk))
        chunk.fill(0) // the chunk is the handler's
      })
      request.on('end', () => resolve(Buffer.concat(chunks)))
    }),
  'for await': (request) => buffer(request),
  'for await, of an encoded stream': (request) => text(request.setEncoding('utf8')),
  'read(), of some bytes at a time': async (request) => {
    const chunks: Buffer[] = []
    request.on('readable', () => {
      for (let chunk = request.read(7); chunk !== null; chunk = request.read(7)) chunks.push(chunk)
    })
    await once(request, 'end')
    return Buffer.concat(chunks)
  },
  'pipe()': (request) => buffer(request.pipe(new PassThrough({ highWaterMark: 10 }))),
  'pause() and resume()': async (request) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => {
      chunks.push(chunk)
      request.pause()
      void turn().then(() => request.resume())
    })
    await once(request, 'end')
    return Buffer.concat(chunks)
  },
  'a web stream': async (request) =>
    Buffer.from(await new Response(Readable.toWeb(request) as never).arrayBuffer()),
  'something that comes later': async (request) => {
    await turn()
    return buffer(request)
  },
}

/** Ways that read less, or of which hookgate cannot tell what they have read. */
const OTHERWISE: { readonly [name: string]: Read } = {
  nothing: async () => 'unread',
  'resume(), which drops it': async (request) => {
    await once(request.resume(), 'end')
    return 'dropped'
  },
  'a part, and drops the rest': async (request) => {
    await once(request, 'readable')
    const part = request.read(5)
    request.removeAllListeners('readable')
    await once(request.resume(), 'end')
    return part
  },
  'a part, and pauses': async (request) => {
    const [part] = await once(request, 'data')
    request.pause()
    return `${part.length > 0}`
  },
  'a part, which is put back': async (request) => {
    await once(request, 'readable')
    request.unshift(request.read(4))
    return buffer(request)
  },
  'a part, which is put back otherwise': async (request) => {
    await once(request, 'readable')
    request.read(1)
    request.unshift(Buffer.from('['))
    return buffer(request)
  },
}

/** A server that answers with what it has read, and what a listener in front of it hears. */
async function reading(read: Read, isObserved: boolean) {
  const heard = new Log<string>()
  const listener: Listener = defineListener({
    id: 'node',
    auth: stripe({ secrets: secret }),
    store: memoryStore(),
    onVerdict: ({ reason }) => heard.add(reason ?? 'accepted'),
    onError: (error) => heard.add(String(error)),
  })
  const observe = observeWebhook(listener)
  const server = createServer((request, response) => {
    const answer = async () => {
      response.end(request.url === '/plain' ? await buffer(request) : await read(request))
    }
    // It reads what Node has, and no response.
    if (isObserved) observe(request as Request, undefined as never, () => void answer())
    else void answer()
  })
  const { address } = await serve(server as never)
  return { address, heard }
}

async function deliver(
  address: Parameters<typeof exchange>[0],
  body: string,
  chunkBytes?: number,
  path = '/',
) {
  const { headers } = await signAs(stripe, { secret, body })
  const request = { method: 'POST', path, headers: Object.entries(headers), body: Buffer.from(body) }
  const reply = await exchange(address, toBytes(request, chunkBytes === undefined ? {} : { chunkBytes }))
  return reply?.body
}

describe.each([
  ['with a length', undefined],
  ['in chunks', 1_000],
])('a Node body %s', (_, chunkBytes) => {
  it.each(Object.entries(WHOLE))(
    'a body read by %s gives what it gives alone, and one verdict',
    async (_, read) => {
      const [alone, beside] = [await reading(read, false), await reading(read, true)]
      const answer = await deliver(beside.address, BODY, chunkBytes)
      expect(answer === (await deliver(alone.address, BODY, chunkBytes))).toBe(true)
      expect(answer?.length).toBe(BODY.length)
      await beside.heard.reaches(1)
      await deliver(beside.address, '{}', undefined, '/plain')
      await beside.heard.reaches(2)
      expect(beside.heard.entries[0]).toBe('accepted')
      expect(beside.heard.entries).toHaveLength(2)
    },
  )

  it.each(Object.entries(OTHERWISE))(
    'a body of which something reads %s gives what it gives alone, and no verdict',
    async (_, read) => {
      const [alone, beside] = [await reading(read, false), await reading(read, true)]
      const answer = await deliver(beside.address, BODY, chunkBytes)
      expect(answer === (await deliver(alone.address, BODY, chunkBytes))).toBe(true)
      const plain = '{"id":"evt_2","type":"plain"}'
      await deliver(beside.address, plain, undefined, '/plain')
      await beside.heard.reaches(1)
      expect(beside.heard.entries).toEqual(['accepted']) // the plain one
    },
  )
})

it('a body whose characters are cut in two by their reader is not judged', async () => {
  const { address, heard } = await reading(async (request) => {
    const parts: string[] = []
    request.setEncoding('utf8').on('readable', () => {
      for (let part = request.read(1); part !== null; part = request.read(1)) parts.push(part)
    })
    await once(request, 'end')
    return parts.join('')
  }, true)
  const body = '{"id":"evt_1","type":"\u{1f600}"}'
  expect(await deliver(address, body, 3)).toBe(body)
  await heard.reaches(1)
  expect(heard.entries).toEqual([expect.stringContaining('its exact bytes are gone')])
})
