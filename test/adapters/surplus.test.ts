import { connect, type NetConnectOpts } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { dropSurplus } from '../../adapters/shared/surplus.ts'
import { toBytes } from '../support/raw-http.ts'
import { TARGETS } from '../support/servers.ts'
import { hmacEndpoint } from './sender.ts'

const MB = 1024 * 1024
const FOREVER_MS = 600_000

/** What a sender gets to read that writes all it has before it reads anything, as most clients that block do. */
async function writeThenRead(address: NetConnectOpts, bytes: Uint8Array): Promise<string> {
  const socket = connect(address)
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject).write(bytes, () => resolve())
  })
  return text(socket)
}

/** The web form reads by the web's streams, which have nothing like it: docs/troubleshooting.md. */
const onNode = Object.entries(TARGETS).filter(([name]) => name !== 'web on Node')

describe.each(onNode)('a body of 5 MB, sent to %s by one who writes first', (_, start) => {
  it.each([
    ['with its length', {}],
    ['in chunks', { chunkBytes: 60_000 }],
  ])('B02 B03 is answered, and not with a reset, when it comes %s', async (_, framing) => {
    const { listener, request, verdicts } = hmacEndpoint()
    const { address, handled } = await start({ target: listener })
    const sent = toBytes(await request({ body: `"${'x'.repeat(5_000_000)}"` }), framing)
    const reply = await writeThenRead(address, sent)
    expect(reply).toMatch(/^HTTP\/1\.1 400 /)
    expect(reply).toMatch('"code":"body_too_large"')
    expect([verdicts.entries, handled]).toEqual([['body_too_large'], []])
  })
})

describe('dropping what is left of a body', () => {
  /** A stream that is dropped, and how much of it was read until that was over. */
  function dropping(timeoutMs = FOREVER_MS, source = new Readable({ read() {}, highWaterMark: 0 })) {
    let read = 0
    source.on('data', (chunk) => {
      read += chunk.length
    })
    const over = new Promise<number>((resolve) => dropSurplus(source, timeoutMs, () => resolve(read)))
    return { source, over }
  }

  it('is over with the body', async () => {
    const { source, over } = dropping()
    source.push('abc')
    source.push(null)
    expect(await over).toBe(3)
  })

  it('is over when the sender is gone', async () => {
    const { source, over } = dropping()
    source.push('abc')
    source.destroy(new Error('reset'))
    expect(await over).toBeLessThanOrEqual(3)
  })

  it('is over in time when nothing comes', async () => {
    expect(await dropping(1).over).toBe(0)
  })

  it('is over after 8 MB of a body that does not end, and reads no more of it', async () => {
    const endless = new Readable({
      read() {
        this.push(Buffer.alloc(MB / 4))
      },
    })
    const { source, over } = dropping(FOREVER_MS, endless)
    expect(await over).toBe(8 * MB)
    expect(source.isPaused()).toBe(true)
  })

  it('is over sooner when each byte comes by itself', async () => {
    const { source, over } = dropping()
    for (let bytes = 0; bytes < 50_000; bytes += 1) source.push('x')
    expect(await over).toBeLessThan(40_000)
  })
})
