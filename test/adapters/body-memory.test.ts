import { EventEmitter } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { Arrival, type NodeStream } from '../../adapters/kit/read-node.ts'
import { Seats } from '../../adapters/kit/seats.ts'
import { readAtMost } from '../../src/lib/read-stream.ts'

const BYTES = 60_000
/** Chunks of one byte, kept separately, would take more than 6 MB. */
const MOST_BYTES_KEPT = 2_000_000

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

function heapUsed(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

function bytesOneByOne(): readonly [whole: Buffer, each: () => Iterable<Uint8Array>] {
  const whole = Buffer.from(Array.from({ length: BYTES }, (_, index) => index % 251))
  return [
    whole,
    function* () {
      for (let index = 0; index < BYTES; index += 1) yield whole.subarray(index, index + 1)
    },
  ]
}

class FakeStream extends EventEmitter implements NodeStream {
  pause(): this {
    return this
  }
  resume(): this {
    return this
  }
}

it('a Node body that comes in single bytes takes the memory of its bytes, and is whole', async () => {
  const [whole, each] = bytesOneByOne()
  const stream = new FakeStream()
  const seat = new Seats(1, BYTES, 0).take({ whenGone() {} })
  const before = heapUsed()
  const body = new Promise<Uint8Array>((resolve, reject) => {
    new Arrival(stream, BYTES, seat, resolve, reject).begin(60_000, undefined)
  })
  for (const byte of each()) stream.emit('data', byte)
  expect(heapUsed() - before).toBeLessThan(MOST_BYTES_KEPT)
  stream.emit('end')
  expect(Buffer.from(await body).equals(whole)).toBe(true)
})

it('a web body that comes in single bytes takes the memory of its bytes, and is whole', async () => {
  const [whole, each] = bytesOneByOne()
  const bytes = each()[Symbol.iterator]()
  const before = heapUsed()
  let kept = 0
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { done, value } = bytes.next()
      if (!done) return controller.enqueue(value)
      kept = heapUsed() - before
      controller.close()
    },
  })
  const read = await readAtMost(stream.getReader(), BYTES)
  expect(read && whole.equals(read)).toBe(true)
  expect(kept).toBeLessThan(MOST_BYTES_KEPT)
})
