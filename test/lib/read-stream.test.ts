import { describe, expect, it } from 'vitest'
import { joinChunks, readAtMost } from '../../src/lib/read-stream.ts'
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

  it('readAtMost returns all bytes up to the limit, and one more if there are more', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 10 }),
        fc.nat(100),
        async (parts, limit) => {
          const whole = Buffer.concat(parts)
          const { stream, seen } = streamOf(parts)
          const read = await readAtMost(stream.getReader(), limit)
          expect(Buffer.from(read)).toStrictEqual(whole.subarray(0, limit + 1))
          expect(seen.cancelled).toBe(whole.length > limit)
        },
      ),
    )
  })

  it('readAtMost stops asking once it has more than the limit', async () => {
    const { stream, seen } = streamOf(Array(1000).fill(chunk(10)))
    expect(await readAtMost(stream.getReader(), 25)).toHaveLength(26)
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
    expect(await readAtMost(stream.getReader(), 5)).toHaveLength(6)
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
