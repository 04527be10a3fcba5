import { describe, expect, it } from 'vitest'
import { BodiesInFlight } from '../../adapters/kit/bodies-in-flight.ts'
import { BodyCopy } from '../../adapters/observe/body-copy.ts'
import { type ObserveWebhookOptions, observeWebhook } from '../../adapters/web.ts'
import { defineListener, type Listener, type ListenerOptions } from '../../src/index.ts'
import { github } from '../../src/schemes/github.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { signAs } from '../../src/testing/index.ts'
import { ENGINE } from '../support/runtime.ts'

const secret = 'the-secret-of-the-webhook'
const BODY = JSON.stringify({ ref: 'refs/heads/mäin', text: '\ufeff \ufffd', x: 'x'.repeat(2_000) })
const BYTES = new TextEncoder().encode(BODY)
const CHUNK_BYTES = 100
const CHUNKS = Math.ceil(BYTES.byteLength / CHUNK_BYTES)

/** What the listener's hooks hear. */
function listening(options: Partial<ListenerOptions> = {}) {
  const told: string[] = []
  const listener = defineListener({
    id: 'github',
    auth: github({ secrets: secret }),
    store: memoryStore(),
    onVerdict: ({ reason }) => void told.push(reason ?? 'accepted'),
    onError: (error) => void told.push(String(error)),
    ...options,
  })
  return { listener, told }
}

/** A body that comes chunk by chunk, when it is asked for, and what is asked of it. */
function counted(bytes: Uint8Array = BYTES) {
  const asked = { pulls: 0, cancelled: undefined as unknown }
  let sent = 0
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        asked.pulls += 1
        controller.enqueue(bytes.slice(sent, sent + CHUNK_BYTES))
        sent += CHUNK_BYTES
        if (sent >= bytes.byteLength) controller.close()
      },
      cancel(reason) {
        asked.cancelled = reason
      },
    },
    { highWaterMark: 0 },
  )
  return { body, asked }
}

const { headers } = await signAs(github, { secret, body: BODY, eventType: 'push' })

function delivery(body: string | ReadableStream<Uint8Array>, more: object = {}): Request {
  return new Request('http://localhost/', {
    method: 'POST',
    headers,
    body,
    duplex: 'half',
    ...more,
  } as RequestInit)
}

type Handler = (request: Request) => unknown

/** Runs a handler beside a listener, or alone. Returns when the observation, too, is over. */
async function run(
  handler: Handler,
  request: Request,
  target: Listener | (() => Promise<Listener | undefined>) | undefined,
  options: ObserveWebhookOptions = {},
) {
  const works: Promise<unknown>[] = []
  const waitUntil = (work: Promise<unknown>) => void works.push(work)
  const handle = target ? observeWebhook(target, handler, { ...options, waitUntil }) : handler
  let answer: unknown
  try {
    answer = await handle(request)
  } catch (error) {
    answer = `throws ${error}`
  }
  await Promise.all(works)
  return answer
}

const text = async (stream: ReadableStream<Uint8Array> | null) => new Response(stream).text()
const bodyOf = ({ body }: Request) => body ?? expect.fail('a body')

async function inChunks(reader: ReadableStreamDefaultReader<Uint8Array>, most = Number.POSITIVE_INFINITY) {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  while (chunks.length < most) {
    const { done, value } = await reader.read()
    if (done) break
    chunks.push(new Uint8Array(value))
    value.fill(0) // the chunk is the handler's
  }
  return chunks
}

const joined = async (chunks: Uint8Array<ArrayBuffer>[]) => new Blob(chunks).text()

/** A destination that takes its time. */
function sink() {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  const stream = new WritableStream<Uint8Array>({
    async write(chunk) {
      await new Promise((resolve) => setTimeout(resolve))
      chunks.push(new Uint8Array(chunk))
    },
  })
  return { stream, chunks }
}

/** Every way to read all of a body, and what it makes of it. */
const WHOLE: { readonly [name: string]: Handler } = {
  'text()': (request) => request.text(),
  'json()': async (request) => JSON.stringify(await request.json()),
  'arrayBuffer()': async (request) =>
    new TextDecoder('utf8', { ignoreBOM: true }).decode(await request.arrayBuffer()),
  async 'blob()'(request) {
    const blob = await request.blob()
    return `${blob.type} ${await blob.text()}`
  },
  'bytes()': async (request) => {
    const { bytes } = request as { readonly bytes?: () => Promise<Uint8Array> } // not in Node 20's types
    return bytes ? `${await bytes.call(request)}` : request.text()
  },
  'a reader': async (request) => joined(await inChunks(bodyOf(request).getReader())),
  'one reader after the other': async (request) => {
    const first = bodyOf(request).getReader()
    const begin = await inChunks(first, 3)
    first.releaseLock()
    return joined([...begin, ...(await inChunks(bodyOf(request).getReader()))])
  },
  'a reader that asks ahead': async (request) => {
    const reader = bodyOf(request).getReader()
    const reads = await Promise.all(Array.from({ length: CHUNKS + 1 }, () => reader.read()))
    return joined(reads.flatMap(({ value }) => (value ? [new Uint8Array(value)] : [])))
  },
  'for await': async (request) => {
    const chunks: Uint8Array<ArrayBuffer>[] = []
    for await (const chunk of bodyOf(request)) chunks.push(new Uint8Array(chunk))
    return joined(chunks)
  },
  'for await, after an iteration that left the stream open': async (request) => {
    const chunks: Uint8Array<ArrayBuffer>[] = []
    for await (const chunk of bodyOf(request).values({ preventCancel: true })) {
      chunks.push(new Uint8Array(chunk))
      if (chunks.length === 3) break
    }
    for await (const chunk of bodyOf(request)) chunks.push(new Uint8Array(chunk))
    return joined(chunks)
  },
  'both branches of tee()': async (request) => {
    const [first, second] = bodyOf(request).tee()
    const one = joined(await inChunks(first.getReader()))
    return `${await one} ${await text(second)}`
  },
  'the second branch of tee(), from the middle': async (request) => {
    const reader = bodyOf(request).getReader()
    const begin = await inChunks(reader, 3)
    reader.releaseLock()
    const [first, second] = bodyOf(request).tee()
    const rest = inChunks(second.getReader())
    await first.cancel()
    return joined([...begin, ...(await rest)])
  },
  'a clone': async (request) => request.clone().text(),
  'a clone of a clone, by its stream': async (request) =>
    joined(await inChunks(bodyOf(request.clone().clone()).getReader())),
  'itself, and a clone': async (request) => {
    const clone = request.clone()
    return `${await request.text()} ${await joined(await inChunks(bodyOf(clone).getReader()))}`
  },
  'a clone, after a look at its body': async (request) => {
    bodyOf(request)
    const clone = request.clone()
    return `${await clone.text()} ${await joined(await inChunks(bodyOf(request).getReader()))}`
  },
  'pipeThrough()': async (request) => {
    const decoder = new TextDecoderStream('utf-8', { ignoreBOM: true }) as unknown as ReadableWritablePair
    const parts: unknown[] = []
    const reader = bodyOf(request).pipeThrough(decoder).getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return parts.join('')
      parts.push(value)
    }
  },
  'pipeTo()': async (request) => {
    const { stream, chunks } = sink()
    await bodyOf(request).pipeTo(stream)
    return joined(chunks)
  },
  'pipeTo(), after a part': async (request) => {
    const reader = bodyOf(request).getReader()
    const begin = await inChunks(reader, 3)
    reader.releaseLock()
    const { stream, chunks } = sink()
    await bodyOf(request).pipeTo(stream, { preventClose: true })
    return `${await joined([...begin, ...chunks])} ${stream.locked} ${bodyOf(request).locked}`
  },
}

interface ReadableWritablePair {
  readonly readable: ReadableStream
  readonly writable: WritableStream
}

/** Ways to read that are not followed, or that do not read all. */
const OTHERWISE: { readonly [name: string]: Handler } = {
  nothing: () => 'unread',
  'nothing of its stream': (request) => `${bodyOf(request).locked}`,
  'nothing of a clone': (request) => `${request.clone().bodyUsed}`,
  'cancel()': async (request) => `${await bodyOf(request).cancel('enough')}`,
  'a little of it, and then waits': async (request) => {
    const begin = await inChunks(bodyOf(request).getReader(), 2)
    await new Promise((resolve) => setTimeout(resolve, 20))
    return joined(begin)
  },
  'half of it, and cancel()': async (request) => {
    const reader = bodyOf(request).getReader()
    const half = await inChunks(reader, 5)
    await reader.cancel('enough')
    return `${await joined(half)} ${(await reader.read()).done}`
  },
  'half of it, and breaks': async (request) => {
    let count = 0
    for await (const _ of bodyOf(request)) if (++count === 5) break
    return `${count} ${request.bodyUsed}`
  },
  'a part by an iterator that leaves the stream open, and more of the iterator': async (request) => {
    const iterator = bodyOf(request).values({ preventCancel: true })
    await iterator.next()
    await iterator.return?.()
    return `${(await iterator.next()).done} ${bodyOf(request).locked}`
  },
  'half of it by pipeTo(), which fails': async (request) => {
    let count = 0
    const stream = new WritableStream({
      write() {
        if (++count === 5) throw new Error('full')
      },
    })
    const error = await bodyOf(request)
      .pipeTo(stream)
      .catch((error: unknown) => error)
    return `${error} ${count}`
  },
  'what a pipe takes that is stopped up, and then fails': async (request) => {
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const stream = new WritableStream({
      async write() {
        await gate
        throw new Error('full')
      },
    })
    const piped = bodyOf(request).pipeTo(stream).catch(String)
    await new Promise((resolve) => setTimeout(resolve, 20))
    open()
    return piped
  },
  'a part by a pipe that leaves the rest to a reader': async (request) => {
    const stop = new AbortController()
    let count = 0
    const stream = new WritableStream({
      write() {
        count += 1
        if (count === 3) stop.abort()
      },
    })
    const options = { preventCancel: true, signal: stop.signal }
    await bodyOf(request)
      .pipeTo(stream, options)
      .catch(() => {})
    return (await inChunks(bodyOf(request).getReader())).length
  },
  'half of it, and throws': async (request) => {
    await inChunks(bodyOf(request).getReader(), 5).then(() => {
      throw new Error('of the handler')
    })
  },
  'text() twice': async (request) => {
    const [first, second] = await Promise.allSettled([request.text(), request.text()])
    return [first, second].map(({ status }) => status).join()
  },
  'text() of a locked body': async (request) => {
    bodyOf(request).getReader()
    return request.text().catch((error: unknown) => `${error}`)
  },
  'pipeTo() of a locked body': async (request) => {
    const body = bodyOf(request)
    body.getReader()
    return body.pipeTo(sink().stream).catch((error: Error) => `${error.name}`)
  },
  'pipeThrough() nothing': (request) => {
    const body = bodyOf(request)
    try {
      return `${body.pipeThrough({} as never)}`
    } catch (error) {
      return `${(error as Error).name} ${body.locked}`
    }
  },
  'a part, and a clone of the rest': async (request) => {
    const reader = bodyOf(request).getReader()
    await inChunks(reader, 3)
    reader.releaseLock()
    try {
      return await request.clone().text()
    } catch (error) {
      return (error as Error).name // most runtimes refuse
    }
  },
  'formData() of a body that is no form': async (request) =>
    request.formData().catch((error: unknown) => (error as Error).name),
  'a new request': async (request) => new Request(request).text(),
  'a new request that is its copy': async (request) => text(new Request('http://localhost/2', request).body),
  'the method of the class': async (request) => Request.prototype.text.call(request),
}

const NOT_FOLLOWED = expect.stringContaining('in a way that observeWebhook cannot follow')

describe('what reads all of a body', () => {
  const bodies = { 'a text': () => ({ body: BODY, asked: {} }), 'a stream': () => counted() }
  for (const [kind, bodyOf] of Object.entries(bodies)) {
    it.each(Object.entries(WHOLE))(
      `%s of ${kind} gives what it gives alone, and one verdict is reported`,
      async (_, handler) => {
        const { listener, told } = listening()
        const [alone, beside] = [bodyOf(), bodyOf()]
        const answer = await run(handler, delivery(beside.body), listener)
        expect(answer).toEqual(await run(handler, delivery(alone.body), undefined))
        expect(beside.asked).toEqual(alone.asked)
        const isRead = !`${answer}`.startsWith('throws') // workerd refuses to be asked ahead
        expect(told).toEqual(isRead ? ['accepted'] : [])
      },
    )
  }

  it('a BYOB reader gets what it gets alone, and one verdict is reported', async () => {
    const handler = async (request: Request) => {
      const reader = bodyOf(request).getReader({ mode: 'byob' })
      const chunks: Uint8Array<ArrayBuffer>[] = []
      for (;;) {
        const { done, value } = await reader.read(new Uint8Array(333))
        if (done) return joined(chunks)
        chunks.push(new Uint8Array(value))
      }
    }
    const bytes = () => {
      let isSent = false
      return new ReadableStream({
        type: 'bytes',
        pull(controller) {
          if (isSent) controller.close()
          else controller.enqueue(new Uint8Array(BYTES))
          if (isSent) controller.byobRequest?.respond(0)
          isSent = true
        },
      })
    }
    const { listener, told } = listening()
    const alone = await run(handler, delivery(bytes()), undefined).catch(String)
    expect(await run(handler, delivery(bytes()), listener)).toEqual(alone)
    if (!`${alone}`.startsWith('throws')) expect([alone, told]).toEqual([BODY, ['accepted']]) // not all runtimes have it
  })
})

describe('what reads otherwise', () => {
  it.each(Object.entries(OTHERWISE))('%s gives what it gives alone', async (name, handler) => {
    const { listener, told } = listening()
    const [alone, beside] = [counted(), counted()]
    const answer = await run(handler, delivery(beside.body), listener)
    expect(answer).toEqual(await run(handler, delivery(alone.body), undefined))
    expect(beside.asked).toEqual(alone.asked)
    // Some runtimes read by methods that are followed, and some by none.
    const isRead = /twice|formData|request|class/.test(name)
    expect(isRead ? [[], ['accepted'], [NOT_FOLLOWED]] : [[]]).toContainEqual(told)
  })

  it('a sender that leaves early is not judged, even where the runtime ends its body as if it were whole', async () => {
    const announced = { headers: { ...headers, 'content-length': `${BYTES.byteLength + 1}` } }
    for (const read of [WHOLE['text()'], WHOLE['a reader']]) {
      const { listener, told } = listening()
      expect(await run(read as Handler, delivery(counted().body, announced), listener)).toBe(BODY)
      expect(told).toEqual([])
    }
  })

  it('a handler that reads on in the background is followed, and one that only keeps its reader is not waited for', async () => {
    const { listener, told } = listening()
    const reads: Promise<unknown>[] = []
    const slowly = async (request: Request) => {
      for await (const _ of bodyOf(request)) await new Promise((resolve) => setTimeout(resolve, 1))
    }
    const streams = (request: Request) =>
      text(new Response(bodyOf(request).pipeThrough(new TransformStream())).body)
    const late = async (request: Request) => {
      await new Promise((resolve) => setTimeout(resolve, 1))
      return request.text()
    }
    const all = [slowly, streams, late, (request: Request) => request.text()]
    for (const read of all) {
      const handler = (request: Request) => void reads.push(read(request))
      await run(handler, delivery(counted().body), listener)
    }
    await Promise.all(reads)
    expect(told).toEqual(all.map(() => 'accepted'))
    await run((request) => void bodyOf(request).getReader().read(), delivery(counted().body), listener)
    expect(told).toHaveLength(all.length)
  })
})

describe('what a reader makes of an odd body', () => {
  it('formData() of a form without a boundary leaves as much of it as alone', async () => {
    const odd = { headers: { ...headers, 'content-type': 'multipart/form-data' } }
    const handler = async (request: Request) => {
      const first = await request.formData().catch((error: unknown) => (error as Error).name)
      return `${first} ${await request.text().catch((error: unknown) => (error as Error).name)}`
    }
    const alone = await run(handler, delivery(BODY, odd), undefined)
    expect(await run(handler, delivery(BODY, odd), listening().listener)).toBe(alone)
  })

  it('a pipe passes on chunks that are no bytes, even empty texts', async () => {
    const chunks = () =>
      new ReadableStream({
        start(controller) {
          for (const chunk of ['a', '', 'b']) controller.enqueue(chunk)
          controller.close()
        },
      })
    const handler = async (request: Request) => {
      const parts: unknown[] = []
      await bodyOf(request).pipeTo(new WritableStream({ write: (chunk) => void parts.push(chunk) }))
      return JSON.stringify(parts)
    }
    const { listener, told } = listening()
    const alone = await run(handler, delivery(chunks()), undefined)
    expect(await run(handler, delivery(chunks()), listener)).toBe(alone)
    expect(told).toEqual([])
  })
})

describe('the request beside an old handler', () => {
  it('the request is the same object, and has no member more when its copy is over', async () => {
    const { listener, told } = listening()
    const given = delivery(BODY)
    const before = Reflect.ownKeys(given)
    const handler = async (request: Request) => {
      expect([request, Object.keys(request)]).toEqual([given, []])
      return request.text()
    }
    expect(await run(handler, given, listener)).toBe(BODY)
    expect([Reflect.ownKeys(given), told]).toEqual([before, ['accepted']])
  })

  it('the request makes no stream that its handler does not ask for', async () => {
    const length = { headers: { ...headers, 'content-length': `${BYTES.byteLength}` } }
    for (const read of [WHOLE['text()'], WHOLE['blob()'], OTHERWISE.nothing]) {
      const given = delivery(BODY, length)
      const { body } = Object.getOwnPropertyDescriptors(Request.prototype)
      const looks: unknown[] = []
      Object.defineProperty(given, 'body', {
        configurable: true,
        get: () => looks.push(body?.get?.call(given)),
      })
      const { listener, told } = listening()
      const answer = await run(read as Handler, given, listener)
      expect([looks, told]).toEqual([[], answer === 'unread' ? [] : ['accepted']])
    }
  })

  it('the request may have no body', async () => {
    const { listener, told } = listening()
    for (const read of [OTHERWISE.nothing, WHOLE['text()']]) {
      const given = new Request('http://localhost/', { method: 'POST', headers })
      await run(read as Handler, given, listener)
    }
    expect(told).toEqual(['signature_mismatch', 'signature_mismatch'])
  })

  it('the request may be observed twice', async () => {
    for (const handler of [
      WHOLE['json()'],
      WHOLE['a reader'],
      WHOLE['both branches of tee()'],
      WHOLE['pipeTo()'],
    ]) {
      const [outer, inner] = [listening(), listening()]
      const twice = observeWebhook(inner.listener, handler as Handler)
      const alone = await run(handler as Handler, delivery(BODY), undefined)
      const given = delivery(BODY)
      const before = Reflect.ownKeys(given)
      expect(await run(twice, given, outer.listener)).toEqual(alone)
      await expect.poll(() => [outer.told, inner.told]).toEqual([['accepted'], ['accepted']])
      expect(Reflect.ownKeys(given)).toEqual(before)
    }
  })

  it('the request of a subclass keeps the methods that its class has replaced', async () => {
    class Encrypted extends Request {}
    Object.assign(Encrypted.prototype, {
      async json(this: Request) {
        return `decrypted ${(await Request.prototype.text.call(this)).length}`
      },
      async arrayBuffer(this: Request) {
        return new TextEncoder().encode(`decrypted ${await this.text()}`).buffer
      },
    })
    const request = () => new Encrypted('http://localhost/', { method: 'POST', headers, body: BODY })
    for (const name of ['json', 'arrayBuffer', 'text'] as const) {
      const { listener, told } = listening()
      const handler = (request: Request) => request[name]()
      expect(await run(handler, request(), listener)).toEqual(await run(handler, request(), undefined))
      expect([[], [NOT_FOLLOWED]]).toContainEqual(told)
    }
    class Next extends Request {
      readonly nextUrl = 'next'
    }
    const { listener, told } = listening()
    const next = new Next('http://localhost/', { method: 'POST', headers, body: BODY })
    expect(await run(async (given) => [given instanceof Next, await given.text()], next, listener)).toEqual([
      true,
      BODY,
    ])
    expect(told).toEqual(['accepted'])
  })

  it('the request may be frozen, which onError hears once', async () => {
    const { listener, told } = listening()
    const handle = observeWebhook(listener, (given: Request) => given.text())
    for (let count = 0; count < 2; count += 1) expect(await handle(Object.freeze(delivery(BODY)))).toBe(BODY)
    await expect.poll(() => told).not.toEqual([])
    // Deno's own requests cannot be frozen whole.
    expect(told).toEqual([
      expect.stringMatching(ENGINE === 'deno' ? /read only/ : /^ListenerConfigError: request: is frozen/),
    ])
  })

  it('the request may be a proxy', async () => {
    const { listener, told } = listening()
    const proxied = (traps: ProxyHandler<Request> = {}) =>
      new Proxy(delivery(BODY), {
        get(request, name) {
          const member = Reflect.get(request, name)
          return typeof member === 'function' ? member.bind(request) : member
        },
        ...traps,
      })
    expect(await run((given) => given.text(), proxied(), listener)).toBe(BODY)
    expect(told).toEqual(['accepted'])
    const defineProperty = () => {
      throw new Error('of a trap')
    }
    expect(await run((given) => given.text(), proxied({ defineProperty }), listener)).toBe(BODY)
    expect(told).toEqual(['accepted', 'Error: of a trap'])
  })
})

describe('the limit of a copy', () => {
  it('the limit is the listener’s as soon as a lookup has found it', async () => {
    const { listener, told } = listening({ maxBodyBytes: 1_000 })
    let found = (_: Listener) => {}
    const lookup = () => new Promise<Listener>((resolve) => (found = resolve))
    const handler = async (request: Request) => {
      const reader = bodyOf(request).getReader()
      await inChunks(reader, 11)
      expect(told).toEqual([])
      found(listener)
      await expect.poll(() => told).toEqual(['body_too_large']) // and its bytes are dropped
      return (await inChunks(reader)).length
    }
    expect(await run(handler, delivery(counted().body), lookup)).toBe(CHUNKS - 11)
    expect(told).toEqual(['body_too_large'])
  })

  it('the limit drops what was copied before it was known', async () => {
    const inFlight = new BodiesInFlight(1, 1_000_000, 0).enter()
    const copy = new BodyCopy(inFlight, 1_000_000)
    copy.take(BYTES.subarray(0, 500))
    copy.take(BYTES.subarray(0, 600), 0) // of a clone
    copy.take(BYTES.subarray(100, 300), 100)
    expect([copy.length, copy.isOver, inFlight.bytes]).toEqual([600, false, 600])
    const within = copy.within(100)
    expect([copy.isOver, inFlight.bytes, (await within)?.byteLength]).toEqual([true, 0, 101])
  })

  it('the limit holds for bytes that a parser has kept', async () => {
    const inFlight = new BodiesInFlight(1, 1_000_000, 0).enter()
    const copy = new BodyCopy(inFlight, 100)
    copy.endWith(BYTES.subarray(0, 600))
    expect([copy.isOver, inFlight.bytes, (await copy.within(100))?.byteLength]).toEqual([true, 0, 101])
    const kept = BYTES.slice(0, 101)
    const exact = new BodyCopy(new BodiesInFlight(1, 1_000_000, 0).enter(), 101)
    exact.endWith(kept)
    kept.fill(0) // its reader's
    expect(await exact.within(101)).toEqual(BYTES.slice(0, 101))
  })

  it('the limit of all copies counts no bytes that were dropped, although a lookup has not answered', async () => {
    const { listener, told } = listening()
    let target = new Promise<Listener>(() => {})
    const works: Promise<unknown>[] = []
    const handle = observeWebhook(
      () => target,
      (request: Request) => (WHOLE['a reader'] as Handler)(request),
      {
        maxConcurrentBytes: 2 * BYTES.byteLength,
        waitUntil: (work) => void works.push(work),
      },
    )
    const huge = new Uint8Array(3 * BYTES.byteLength)
    expect(await handle(delivery(counted(huge).body))).toHaveLength(huge.byteLength)
    target = Promise.resolve(listener)
    expect(await handle(delivery(counted().body))).toBe(BODY)
    await works[1]
    expect(told).toEqual(['accepted'])
  })

  it('the limit ends a copy, and what reads goes on', async () => {
    for (const length of [undefined, { 'content-length': `${BYTES.byteLength}` }]) {
      for (const [name, read] of Object.entries(WHOLE)) {
        const { listener, told } = listening({ maxBodyBytes: 1_000 })
        const request = delivery(counted().body, { headers: { ...headers, ...length } })
        const alone = await run(read, delivery(counted().body), undefined)
        expect(await run(read, request, listener), name).toEqual(alone)
        expect(told, name).toEqual(['body_too_large'])
      }
    }
  })
})
