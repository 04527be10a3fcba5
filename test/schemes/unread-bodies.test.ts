import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { Delivery } from '../../src/delivery.ts'
import { defineListener, verify } from '../../src/index.ts'
import { bytesToHash } from '../../src/lib/unread.ts'
import { MOST_READ } from '../../src/limits.ts'
import { type SenderScheme, senderAuthenticator } from '../../src/schemes/kit/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { schemeFactory } from '../support/schemes.ts'
import { remoteOptions } from '../support/vector-fetch.ts'
import { deliveryOf, files, type VectorFile } from '../support/vectors.ts'

const RAISED_BYTES = 8_388_608
const SIZE = 1_048_576
/** Of headers, tokens and certificates. */
const ROOM = 131_072

/** How much of a text, or of bytes, goes through whatever turns one into the other. */
let read = 0

const sizeOf = (given: unknown): number => {
  if (typeof given === 'string') return given.length
  return ArrayBuffer.isView(given) ? given.byteLength : 0
}

/** Returns what stops the counting. */
function count(owner: object, name: string): () => void {
  const original: unknown = Reflect.get(owner, name)
  if (typeof original !== 'function') throw new Error(`no ${name}`)
  Reflect.set(owner, name, function (this: unknown, ...given: unknown[]) {
    read += Math.max(sizeOf(this), ...given.map(sizeOf), name === 'fromCharCode' ? given.length : 0)
    return Reflect.apply(original, this, given)
  })
  return () => Reflect.set(owner, name, original)
}

const counted = [
  count(TextDecoder.prototype, 'decode'),
  count(TextEncoder.prototype, 'encode'),
  count(JSON, 'parse'),
  count(JSON, 'stringify'),
  count(String, 'fromCharCode'),
  count(Buffer.prototype, 'toString'),
  count(globalThis, 'atob'),
  count(globalThis, 'btoa'),
]
afterAll(() => {
  for (const stop of counted) stop()
})
beforeEach(() => {
  read = 0
})

async function receiverOf({ scheme, options, now, fetches }: VectorFile) {
  const factory = await schemeFactory(scheme)
  const auth = factory({ ...options, ...(fetches && remoteOptions(scheme, fetches)) })
  const clock = { now: () => now * 1000 }
  const store = memoryStore({ clock, maxRecords: 10 })
  return defineListener({ id: scheme, auth, store, clock, maxBodyBytes: RAISED_BYTES })
}

/** The genuine delivery with another body, and with a signature of the same form over something else. */
function forged({ cases }: VectorFile, scheme: Pick<SenderScheme, 'signature'>) {
  const genuine = cases.find(({ expect, options }) => expect.ok && options === undefined)
  if (genuine === undefined) throw new Error('no genuine delivery')
  const delivery = deliveryOf(genuine)
  const altered = (value: string) => value.replace(/.(?=.{5}$)/s, (letter) => (letter === '0' ? '1' : '0'))
  const header = (name: string) => {
    const value = delivery.header(name)
    return name === scheme.signature.headers[0] && typeof value === 'string' ? altered(value) : value
  }
  const url = scheme.signature.query === undefined ? delivery.url : delivery.url?.replace(/.$/, '-')
  const text = Buffer.from(delivery.body).toString()
  return {
    send: (body: string): Delivery => ({ ...delivery, url, header, body: Buffer.from(body) }),
    /** Its own body, with each value grown. */
    grown: [...text.matchAll(/":\s*"|=(?=[^&])|^ey|^(?=.)/g)].map(
      ({ index, 0: { length } }) =>
        text.slice(0, index + length) + 'a'.repeat(SIZE) + text.slice(index + length),
    ),
  }
}

const filled = (start: string, part: string, end: string) => start + part.repeat(SIZE / part.length) + end
const BODIES = [
  '\u0001'.repeat(SIZE),
  filled('{"a":"', 'a', '"}'),
  filled('[', '{},', '0]'),
  filled('a=', '%41', ''),
  filled('eyJhbGciOiJSUzI1NiJ9.', 'A', `.${'A'.repeat(342)}`),
]

describe('of a stranger’s megabyte, no scheme turns more into text than the limits let it', () => {
  it.each(files)('$scheme', async (vectors) => {
    const listener = await receiverOf(vectors)
    const { send, grown } = forged(vectors, listener.protocol.scheme ?? { signature: { headers: [] } })
    for (const body of [...BODIES, ...grown.slice(0, 4)]) {
      const delivery = send(body)
      read = 0
      const verdict = await verify(delivery, listener)
      expect(verdict).toMatchObject({ ok: false })
      expect(read).toBeLessThanOrEqual(MOST_READ + ROOM)
    }
  })
})

it('a scheme that decodes the body is noticed', async () => {
  const [vectors] = files.filter(({ scheme }) => scheme === 'github')
  if (vectors === undefined) throw new Error('no vectors')
  const { protocol } = await receiverOf(vectors)
  if (protocol.scheme === undefined) throw new Error('no scheme')
  const auth = senderAuthenticator(protocol.scheme, {}, ({ bytes }) => {
    const text = new TextDecoder().decode(bytesToHash(bytes))
    return { reason: 'signature_mismatch', detail: text.slice(0, 1) }
  })
  const store = memoryStore({ maxRecords: 10 })
  const listener = defineListener({ id: 'a', auth, store, maxBodyBytes: RAISED_BYTES })
  await verify(forged(vectors, protocol.scheme).send('a'.repeat(SIZE)), listener)
  expect(read).toBeGreaterThan(MOST_READ + ROOM)
})
