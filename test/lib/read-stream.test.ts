import { describe, expect, it, vi } from 'vitest'
import { joinChunks, readAtMost, withChunk } from '../../src/lib/read-stream.ts'
import fc from '../support/property.ts'

interface Source {
  readonly stream: ReadableStream<Uint8Array>
  readonly seen: { pulled: number; cancelled: boolean }
}

function streamOf(chunks: readonly Uint8Array[], end: 'close' | 'fail' = 'close'): Source {
  const seen = { pulled: 0, cancelled: false }
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = chunks[seen.pulled]
        seen.pulled += 1
        if (chunk) controller.enqueue(chunk)
        else if (end === 'fail') controller.error(new Error('connection lost'))
        else controller.close()
      },
      cancel() {
        seen.cancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, seen }
}

const chunk = (length: number, fill = 1) => new Uint8Array(length).fill(fill)

describe('readAtMost', () => {
  it('readAtMost returns no bytes if there is no stream', async () => {
    expect(await readAtMost(undefined, 10)).toStrictEqual(new Uint8Array(0))
  })

  it('readAtMost returns all bytes up to the limit, and undefined if there are more', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 10 }),
        fc.nat(100),
        async (parts, limit) => {
          const whole = Buffer.concat(parts)
          const { stream, seen } = streamOf(parts)
          const read = await readAtMost(stream.getReader(), limit)
          expect(read && Buffer.from(read)).toStrictEqual(whole.length > limit ? undefined : whole)
          expect(seen.cancelled).toBe(whole.length > limit)
        },
      ),
    )
  })

  it('readAtMost stops asking once it has more than the limit', async () => {
    const { stream, seen } = streamOf(Array(1000).fill(chunk(10)))
    expect(await readAtMost(stream.getReader(), 25)).toBeUndefined()
    expect(seen.pulled).toBe(3)
  })

  it.each([100, 101, 102, 250])('readAtMost loses and changes nothing of %d chunks', async (count) => {
    const bytes = Uint8Array.from({ length: count }, (_, index) => index)
    const { stream } = streamOf(Array.from(bytes, (byte) => Uint8Array.of(byte)))
    expect(await readAtMost(stream.getReader(), 1000)).toStrictEqual(bytes)
  })

  it('readAtMost rejects when the stream fails, even with bytes at hand', async () => {
    await expect(readAtMost(streamOf([chunk(5)], 'fail').stream.getReader(), 10)).rejects.toThrow(
      'connection lost',
    )
    await expect(readAtMost(streamOf([], 'fail').stream.getReader(), 10)).rejects.toThrow('connection lost')
  })

  it('readAtMost ignores that a stream cannot be cancelled', async () => {
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(chunk(10)),
      cancel: () => Promise.reject(new Error('cannot cancel')),
    })
    expect(await readAtMost(stream.getReader(), 5)).toBeUndefined()
  })
})

describe('joinChunks', () => {
  it('joinChunks does not copy a single chunk', () => {
    const only = chunk(3)
    expect(joinChunks([only], 3)).toBe(only)
  })

  it('joinChunks joins several in order, and none to an empty array', () => {
    expect(joinChunks([chunk(1, 1), chunk(0), chunk(2, 2)], 3)).toStrictEqual(Uint8Array.of(1, 2, 2))
    expect(joinChunks([], 0)).toStrictEqual(new Uint8Array(0))
  })
})

describe('withChunk', () => {
  /** Appends chunks of these lengths. Returns the chunks, and how many bytes were copied on the way. */
  function appended(lengths: readonly number[]) {
    let copied = 0
    class Counted extends Uint8Array {
      override set(source: ArrayLike<number>, offset?: number): void {
        copied += source.length
        super.set(source, offset)
      }
    }
    vi.stubGlobal('Uint8Array', Counted)
    try {
      let chunks: Uint8Array[] = []
      let next = 0
      for (const length of lengths) {
        const bytes = new Counted(length)
        for (let index = 0; index < length; index += 1) bytes[index] = next++ % 251
        chunks = withChunk(chunks, bytes)
      }
      return { chunks, copied }
    } finally {
      vi.unstubAllGlobals()
    }
  }

  it('a million single bytes are copied 16 times each at most, and not 5,000 times', () => {
    const { chunks, copied } = appended(Array(1_000_000).fill(1))
    expect(copied).toBeGreaterThan(1_000_000)
    expect(copied).toBeLessThan(16_000_000)
    expect(chunks.length).toBeLessThan(120)
  })

  it.each([
    ['grow', (index: number) => index % 700],
    ['shrink', (index: number) => 700 - (index % 700)],
    ['alternate', (index: number) => (index % 2 === 0 ? 3 : 1)],
    ['are empty', () => 0],
    ['are mostly empty', (index: number) => (index % 150 === 0 ? 1 : 0)],
    ['are just under the large ones', (index: number) => (index % 40 === 0 ? 65_535 : 1)],
  ])('chunks that %s stay few, and are copied a few times', (_, lengthOf) => {
    const lengths = Array.from({ length: 3000 }, (_, index) => lengthOf(index))
    const total = lengths.reduce((sum, each) => sum + each, 0)
    const { chunks, copied } = appended(lengths)
    expect(chunks.length).toBeLessThanOrEqual(101 + total / 65_536)
    expect(copied).toBeLessThanOrEqual(16 * total)
    const whole = joinChunks(chunks, total)
    expect(whole.length).toBe(total)
    expect(whole.every((byte, index) => byte === index % 251)).toBe(true)
  })

  it('large chunks are not copied, and stay in their order among small ones', () => {
    const lengths = Array.from({ length: 500 }, (_, index) => (index % 2 === 0 ? 65_536 : 1))
    const { chunks, copied } = appended(lengths)
    expect(copied).toBe(0)
    expect(chunks.map(({ length }) => length)).toEqual(lengths)
  })
})
