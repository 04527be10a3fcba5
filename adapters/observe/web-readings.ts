import { isPromise } from '../../src/lib/maybe-promise.ts'
import { memberOf } from '../../src/lib/member-of.ts'
import type { BodyCopy } from './body-copy.ts'
import { callAs, holderOf } from './shadow.ts'

/** How long a body may rest after its handler has ended. Work in the background and streamed responses read on. */
const IDLE_MS = 100

/** The methods that read a whole body. */
const WHOLE = ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text'] as const

/** Without a boundary, some runtimes refuse a form before they read it. */
const FORM = /^(multipart\/form-data\s*;.*boundary=|application\/x-www-form-urlencoded)/i

/** How far one stream has been read, by one reader after the other. */
interface Position {
  bytes: number
  /** What follows is not the next of the body: it was cancelled, or read by something unseen. */
  isLost: boolean
}

/** One reader or iterator, from when it locks its stream to when it leaves it. */
interface Reading {
  bytes: number
  isOver: boolean
  readonly at: Position
}

/**
 * Follows what reads the body of one web request, by standing before the methods of the request, of its stream, of their readers
 * and of its clones. The runtime's own code reads the body as it always does: only what pipes gets a stream of ours, which
 * reads when the pipe asks.
 */
export class WebReadings {
  readonly #copy: BodyCopy
  readonly #announced: number | undefined
  readonly #followed = new WeakSet<object>()
  /** Reads, as far as can be seen. */
  #begun = 0
  #pending = 0
  #isHandled = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(copy: BodyCopy, announced: number | undefined) {
    this.#copy = copy
    this.#announced = announced
  }

  /** Whether nothing has begun to read, as far as can be seen. */
  get areNone(): boolean {
    return this.#begun === 0
  }

  /** The handler has ended. What still reads is followed to its end, until it rests. */
  expectEnd(): void {
    this.#isHandled = true
    this.#restIfIdle()
    this.#copy.whenOver(() => clearTimeout(this.#timer))
  }

  followRequest(request: Request): void {
    if (this.#isFollowed(request)) return
    // A method that a subclass or a framework has replaced may do more than read, so it is left alone.
    const platform = holderOf(request, 'bodyUsed')
    const isOfPlatform = (name: PropertyKey) => name in request && holderOf(request, name) === platform
    const readAll = isOfPlatform('arrayBuffer') ? request.arrayBuffer : undefined
    for (const name of readAll ? WHOLE.filter(isOfPlatform) : []) {
      this.#copy.shadow(request, name, (original, receiver) =>
        this.#readWhole(request, name, original, () => callAs(readAll, receiver, [])),
      )
    }
    if (isOfPlatform('body')) {
      this.#copy.shadowGetter(request, 'body', (body) => {
        if (body instanceof ReadableStream) this.#followStream(body, { bytes: 0, isLost: false })
      })
    }
    this.#copy.shadow(request, 'clone', (original) => {
      if (memberOf(request, 'bodyUsed') === true) this.#copy.abandon() // a clone of what is left, where there is one
      const clone = original()
      this.#copy.attempt(() => this.followRequest(clone as Request)) // whatever it is: only asked for its members
      return clone
    })
  }

  /** What loses bytes, e.g. a byte order mark, is made of all bytes, as the runtime makes it. */
  async #readWhole(
    request: Request,
    name: (typeof WHOLE)[number],
    original: () => unknown,
    readAll: () => unknown,
  ): Promise<unknown> {
    const end = this.#begin()
    try {
      const type = request.headers.get('content-type')
      if (name === 'formData' && !FORM.test(`${type}`)) return await original() // may fail without reading
      if (this.#announced !== undefined && this.#announced > this.#copy.limit) {
        const whole = await original()
        this.#copy.exceed()
        return whole
      }
      const whole = await (name === 'blob' ? original() : readAll()) // of the platform's own methods
      const bytes =
        name === 'blob'
          ? await (whole as Blob).slice(0, this.#copy.limit + 1).arrayBuffer()
          : (whole as ArrayBuffer)
      this.#copy.attempt(() => {
        this.#copy.take(new Uint8Array(bytes), 0)
        this.#end()
      })
      if (name === 'blob' || name === 'arrayBuffer') return whole
      if (name === 'bytes') return new Uint8Array(bytes) // the Response of @hono/node-server has none
      const response = new Response(bytes, type === null ? {} : { headers: { 'content-type': type } })
      return await callAs(memberOf(response, name), response, [])
    } finally {
      end()
    }
  }

  #followStream(stream: ReadableStream<Uint8Array>, at: Position): void {
    if (this.#isFollowed(stream)) return
    const copy = this.#copy
    copy.shadow(stream, 'getReader', (original) => {
      const reader = original()
      copy.attempt(() => this.#followReader(Object(reader), at))
      return reader
    })
    for (const name of ['values', Symbol.asyncIterator]) {
      copy.shadow(stream, name, (original, _, [options]) => {
        const iterator = original()
        copy.attempt(() =>
          this.#followReader(Object(iterator), at, Boolean(memberOf(options, 'preventCancel'))),
        )
        return iterator
      })
    }
    copy.shadow(stream, 'cancel', (original) => {
      at.isLost ||= !stream.locked
      this.#begun += 1
      return original()
    })
    copy.shadow(stream, 'tee', (original) => {
      const branches = original()
      copy.attempt(() => {
        for (const branch of branches as ReadableStream<Uint8Array>[]) this.#followStream(branch, { ...at })
      })
      return branches
    })
    for (const name of ['pipeTo', 'pipeThrough'] as const) {
      copy.shadow(stream, name, (original, _, given) => {
        const piped = this.#piped(stream, given[1], at)
        if (piped === undefined) return original()
        const { source, leave } = piped
        try {
          const result = callAs(source[name], source, given)
          return isPromise(result) ? Promise.resolve(result).finally(leave) : result
        } catch (error) {
          leave()
          throw error
        }
      })
    }
  }

  /**
   * A stream in place of one that is piped, because the runtime then calls no method of ours. Holds nothing: it reads a chunk when
   * the pipe asks for one. Undefined if the pipe has to deal with the stream itself.
   */
  #piped(stream: ReadableStream<Uint8Array>, options: unknown, at: Position) {
    at.isLost ||= Boolean(memberOf(options, 'preventCancel'))
    if (stream.locked || at.isLost) return undefined
    let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
    const end = this.#begin()
    const leave = () => {
      reader?.releaseLock()
      end()
    }
    try {
      const source = new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            const next = await reader?.read()
            if (next?.done === false) return controller.enqueue(next.value)
            leave()
            controller.close()
          },
          async cancel(reason) {
            await reader?.cancel(reason)
            leave()
          },
        },
        { highWaterMark: 0 },
      )
      reader = stream.getReader()
      return { source, leave }
    } catch {
      end()
      at.isLost = true
      return undefined // old dates of Workers let nobody make a stream
    }
  }

  /** `keepsOpen`: leaving an iterator does not cancel the stream. */
  #followReader(reader: object, at: Position, keepsOpen = false): void {
    const reading: Reading = { bytes: at.bytes, isOver: false, at }
    // next is an iterator's, readAtLeast workerd's, and readMany Bun's.
    for (const name of ['read', 'next', 'readAtLeast', 'readMany']) {
      this.#copy.shadow(reader, name, (original) => this.#heard(original, reading))
    }
    for (const name of ['cancel', 'return']) {
      this.#copy.shadow(reader, name, (original) => {
        at.isLost ||= !reading.isOver && !keepsOpen
        reading.isOver = true
        return original()
      })
    }
    this.#copy.shadow(reader, 'releaseLock', (original) => {
      original()
      reading.isOver = true
    })
  }

  /** Looks at what a reader gets before the reader does, who may change the chunk. */
  #heard(read: () => unknown, reading: Reading): unknown {
    const result = read()
    const end = this.#begin()
    const hear = (result: unknown) => {
      this.#copy.attempt(() => this.#hear(result, reading))
      end()
      return result
    }
    if (!isPromise(result)) return hear(result)
    return Promise.resolve(result).then(hear, (error) => {
      if (!reading.isOver) this.#copy.abandon() // the sender has left, or the stream has failed
      end()
      throw error
    })
  }

  #hear(read: unknown, reading: Reading): void {
    const value = memberOf(read, 'value')
    for (const chunk of Array.isArray(value) ? value : [value ?? NO_CHUNK]) {
      if (!ArrayBuffer.isView(chunk)) {
        this.#copy.abandon() // a stream of the application's own making
        return
      }
      const bytes = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength)
      this.#copy.take(bytes, reading.bytes)
      reading.bytes += bytes.byteLength
      reading.at.bytes = Math.max(reading.at.bytes, reading.bytes)
    }
    if (memberOf(read, 'done') === true && !reading.isOver && !reading.at.isLost) this.#end()
  }

  /** Some runtimes end a body that was cut short as if it were complete. */
  #end(): void {
    if (this.#announced !== undefined && this.#copy.length < this.#announced) this.#copy.abandon()
    else this.#copy.end()
  }

  /** Returns what ends it. */
  #begin(): () => void {
    clearTimeout(this.#timer)
    this.#begun += 1
    this.#pending += 1
    let isPending = true
    return () => {
      if (isPending) this.#pending -= 1
      isPending = false
      this.#restIfIdle()
    }
  }

  #restIfIdle(): void {
    if (!this.#isHandled || this.#pending > 0 || this.#copy.isOver) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#copy.abandon(), IDLE_MS)
  }

  #isFollowed(object: object): boolean {
    const isFollowed = this.#followed.has(object)
    this.#followed.add(object)
    return isFollowed
  }
}

const NO_CHUNK = new Uint8Array(0)
