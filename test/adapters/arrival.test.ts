import { Readable } from 'node:stream'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { BodyIncompleteError } from '../../adapters/kit/incoming.ts'
import { Arrival } from '../../adapters/kit/read-node.ts'
import { Seats } from '../../adapters/kit/seats.ts'

const LIMIT = 1000
const FOREVER_MS = 600_000
const room = () => new Seats(1, LIMIT, FOREVER_MS).take({ whenGone() {} })

/** A stream that emits what is pushed to it, and the body that an Arrival reads from it. */
function arriving(
  given: { readonly announced?: number; readonly emitClose?: boolean } = {},
  first: (stream: Readable) => unknown = () => {},
) {
  const stream = new Readable({ read() {}, emitClose: given.emitClose ?? true })
  first(stream)
  const body = new Promise<Uint8Array>((resolve, reject) => {
    new Arrival(stream, LIMIT, room(), resolve, reject).begin(FOREVER_MS, given.announced)
  })
  return { stream, text: body.then((bytes) => Buffer.from(bytes).toString()) }
}

const turnOfTheLoop = () => new Promise((resolve) => setImmediate(resolve))

function finish(stream: Readable, ...chunks: string[]): void {
  for (const chunk of chunks) stream.push(chunk)
  stream.push(null)
}

describe('the body of a Node request', () => {
  it('the body is whole when it comes in pieces', async () => {
    const { stream, text } = arriving({ announced: 6 })
    stream.push('abc')
    await turnOfTheLoop()
    finish(stream, 'def')
    expect(await text).toBe('abcdef')
  })

  it('the body ends if another listener paused the stream before', async () => {
    const { stream, text } = arriving({ announced: 3 }, (paused) => paused.pause())
    finish(stream, 'abc')
    expect(await text).toBe('abc')
  })

  it('the body ends if another listener pauses the stream meanwhile', async () => {
    const { stream, text } = arriving({ announced: 6 })
    stream.push('abc')
    await turnOfTheLoop()
    stream.pause()
    finish(stream, 'def')
    expect(await text).toBe('abcdef')
  })

  it.each([
    ['has already arrived', 3, ['abc']],
    ['has already arrived without a length', Number.NaN, ['abc']],
    ['is empty', 0, []],
    ['is too long', Number.NaN, ['x'.repeat(LIMIT + 1)]],
  ])('the reader leaves no timer behind when it %s, at once or later', async (_, announced, chunks) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    for (const arrive of [async () => {}, turnOfTheLoop]) {
      const { stream, text } = arriving({ announced })
      await arrive()
      finish(stream, ...chunks)
      await text
      await turnOfTheLoop()
      expect(vi.getTimerCount()).toBe(0)
    }
  })

  it.each(['', 'abc'])('no timer starts if %j arrives before the current code has run', async (bytes) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { stream, text } = arriving({ announced: bytes.length })
    stream.emit('data', Buffer.from(bytes))
    stream.emit('end')
    expect(await text).toBe(bytes)
    await turnOfTheLoop()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('the reader stops just over the limit, even if a timer is running', async () => {
    const { stream, text } = arriving()
    await turnOfTheLoop()
    stream.push('x'.repeat(LIMIT + 10))
    expect(await text).toHaveLength(LIMIT + 1) // a stand-in
    await turnOfTheLoop()
    expect(stream.readableFlowing).toBe(false)
  })

  it('the body is empty if no bytes are announced, even on a paused stream', async () => {
    const { stream, text } = arriving({ announced: 0 }, (paused) => paused.pause())
    finish(stream)
    expect(await text).toBe('')
  })
})

describe('the body of a Node request that stops early', () => {
  it('the body is incomplete at once if its stream is destroyed before anything listens', async () => {
    const { text } = arriving({ announced: 3 }, (stream) => stream.destroy())
    await expect(text).rejects.toThrow(BodyIncompleteError)
  })

  it('the body is incomplete at once if its stream is destroyed in the same turn', async () => {
    // From a callback, as in a server: there `close` is emitted before this turn's promises continue.
    const text = await new Promise<unknown>((resolve) => {
      setImmediate(() => {
        const { stream, text } = arriving({ announced: 3 })
        stream.destroy()
        resolve(text.catch((error) => error))
      })
    })
    expect(text).toBeInstanceOf(BodyIncompleteError)
  })

  it('the body is incomplete at its deadline, and is read no further', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { stream, text } = arriving({ announced: 3 })
    await turnOfTheLoop()
    vi.advanceTimersByTime(FOREVER_MS)
    await expect(text).rejects.toThrow('the body was not complete after 600000 ms')
    expect([stream.readableFlowing, stream.listenerCount('data')]).toEqual([false, 0])
  })

  it('the body is incomplete at once when its stream is closed later', async () => {
    const { stream, text } = arriving({ announced: 3 })
    stream.push('ab')
    await turnOfTheLoop()
    stream.destroy()
    await expect(text).rejects.toThrow(BodyIncompleteError)
  })

  it('the body is incomplete at once when its stream fails without emitting close', async () => {
    const { stream, text } = arriving({ announced: 3, emitClose: false })
    await turnOfTheLoop()
    stream.destroy(new Error('reset'))
    await expect(text).rejects.toThrow(BodyIncompleteError)
  })
})
