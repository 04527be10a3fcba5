import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { remoteKeySet } from '../../src/jwt.ts'
import { ACCEPTED, jwtSender, remoteSender, unavailable } from '../support/jwt-listener.ts'
import { hanging, type KeyHostAnswer, keyHost, respondWith, secureKeyHost } from '../support/key-host.ts'
import { newKey } from '../support/keys.ts'
import { ENGINE, itOutsideWorkerd } from '../support/runtime.ts'

const KEY = newKey('ES256')
const JWKS = { keys: [KEY.publicKey] }
const TEXT = JSON.stringify(JWKS)
const MEGABYTE = 1024 * 1024

/**
 * From Node 26 on, `fetch` ignores its signal after the response. It reads a forbidden body to the end and drops it.
 */
const DEAF_AFTER_ANSWER = ENGINE === 'node' && Number(process.versions.node.split('.')[0]) >= 26

describe('a key host', () => {
  it('a key host is asked once, with GET, for the very URL, without credentials', async () => {
    const seen: unknown[] = []
    const { send } = await remoteSender(KEY, ({ method, url, headers }, response) => {
      seen.push({ method, url, accept: headers.accept, authorization: headers.authorization })
      response.end(TEXT)
    })
    expect(await send()).toMatchObject(ACCEPTED)
    expect(seen).toEqual([
      { method: 'GET', url: '/jwks.json', accept: 'application/jwk-set+json, application/json' },
    ])
  })

  it.each(['text/plain', 'application/octet-stream', ''])('a key set may be labelled %j', async (type) => {
    const { send } = await remoteSender(KEY, respondWith(200, TEXT, { 'content-type': type }))
    expect(await send()).toMatchObject(ACCEPTED)
  })

  it('a key host may be slow, within the limit', async () => {
    const { send } = await remoteSender(KEY, async (_, response) => {
      for (const byte of TEXT) {
        response.write(byte)
        await new Promise(setImmediate)
      }
      response.end()
    })
    expect(await send()).toMatchObject(ACCEPTED)
  })
})

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('a redirect is not followed: %d to another host', async (status) => {
    const other = await keyHost(JWKS)
    const { host, send } = await remoteSender(KEY, respondWith(status, '', { location: other.url }))
    await expect(send()).rejects.toMatchObject(unavailable(new RegExp(`answered with status ${status}`)))
    expect([host.requests, other.requests]).toEqual([1, 0])
  })

  it('a redirect is not followed from https to http', async () => {
    const insecure = await keyHost(JWKS)
    const host = await secureKeyHost(respondWith(302, '', { location: insecure.url }))
    const { send } = jwtSender(KEY, { keySet: remoteKeySet(host.url, { fetch: host.fetch }) })
    await expect(send()).rejects.toMatchObject(unavailable(/answered with status 302/))
    expect([host.requests, insecure.requests]).toEqual([1, 0])
  })

  it('a redirect is not taken for an answer when it carries a key set', async () => {
    const { send } = await remoteSender(KEY, respondWith(302, TEXT, { location: '/jwks.json' }))
    await expect(send()).rejects.toMatchObject(unavailable(/answered with status 302/))
  })

  it.each([201, 204, 206, 304, 400, 404, 500, 503])(
    'status %d is not taken for an answer',
    async (status) => {
      const { send } = await remoteSender(KEY, respondWith(status, [204, 304].includes(status) ? '' : TEXT))
      await expect(send()).rejects.toMatchObject(unavailable(new RegExp(`answered with status ${status}`)))
    },
  )
})

describe('a document that is too long', () => {
  it('a document may have 262,144 bytes, and not one more', async () => {
    const fits = await remoteSender(KEY, respondWith(200, TEXT.padEnd(262_144)))
    expect(await fits.send()).toMatchObject(ACCEPTED)
    const longer = await remoteSender(KEY, respondWith(200, TEXT.padEnd(262_145)))
    await expect(longer.send()).rejects.toMatchObject(unavailable(/sent over 262144 bytes/))
  })

  it('the reader hangs up on a flood of 200 MB', async () => {
    const flood = makeFlood(200)
    const { send } = await remoteSender(KEY, flood.answer)
    const before = process.memoryUsage().rss
    await expect(send()).rejects.toMatchObject(unavailable(/sent over 262144 bytes/))
    await flood.over
    expect(flood.written()).toBeLessThan(32 * MEGABYTE)
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * MEGABYTE)
  })

  it('the reader hangs up on a flood over TLS', async () => {
    const flood = makeFlood(200)
    const host = await secureKeyHost(flood.answer)
    const { send } = jwtSender(KEY, { keySet: remoteKeySet(host.url, { fetch: host.fetch }) })
    await expect(send()).rejects.toMatchObject(unavailable(/sent over 262144 bytes/))
    await flood.over
    expect(flood.written()).toBeLessThan(32 * MEGABYTE)
  })

  it('the reader hangs up on a refusal that floods', async () => {
    const flood = makeFlood(200, 500)
    const { send } = await remoteSender(KEY, flood.answer)
    await expect(send()).rejects.toMatchObject(unavailable(/answered with status 500/))
    await flood.over
    expect(flood.written()).toBeLessThan(32 * MEGABYTE)
  })

  itOutsideWorkerd('Its servers send no body with that status.')(
    'the reader hangs up on a flood behind a status that has no body',
    async () => {
      const flood = makeFlood(200, 205)
      const { send } = await remoteSender(KEY, flood.answer)
      await expect(send()).rejects.toMatchObject(unavailable(/answered with status 205/))
      await flood.over
      expect(flood.written() < 32 * MEGABYTE).toBe(!DEAF_AFTER_ANSWER)
    },
  )

  it('the reader counts what comes out of a gzip bomb', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * MEGABYTE, ' '))
    expect(bomb.length).toBeLessThan(262_144)
    const { send } = await remoteSender(KEY, respondWith(200, bomb, { 'content-encoding': 'gzip' }))
    const before = process.memoryUsage().rss
    await expect(send()).rejects.toMatchObject(unavailable(/sent over 262144 bytes/))
    expect(process.memoryUsage().rss - before).toBeLessThan(48 * MEGABYTE)
  })

  it('the reader counts what comes out of chained encodings', async () => {
    const bomb = gzipSync(gzipSync(Buffer.alloc(64 * MEGABYTE, ' ')))
    const { send } = await remoteSender(KEY, respondWith(200, bomb, { 'content-encoding': 'gzip, gzip' }))
    // Bun and Deno decode no chain of encodings, so the bytes are not JSON.
    const message = ENGINE === 'node' ? /sent over 262144 bytes/ : /did not send JSON/
    await expect(send()).rejects.toMatchObject(unavailable(message))
  })

  it('a hundred encodings make the fetch fail', async () => {
    const encodings = Array.from({ length: 100 }, () => 'gzip').join(', ')
    const { send } = await remoteSender(
      KEY,
      respondWith(200, gzipSync(TEXT), { 'content-encoding': encodings }),
    )
    await expect(send()).rejects.toMatchObject(unavailable(/./))
  })

  it.each([
    ['gzip', gzipSync(TEXT)],
    ['br', brotliCompressSync(TEXT)],
  ])('the reader reads an honest key set in %s', async (encoding, bytes) => {
    const { send } = await remoteSender(KEY, respondWith(200, bytes, { 'content-encoding': encoding }))
    expect(await send()).toMatchObject(ACCEPTED)
  })
})

describe('a host that is too slow', () => {
  const slow: [string, KeyHostAnswer][] = [
    ['never answers', hanging],
    ['sends its headers and nothing more', (_, response) => response.writeHead(200).flushHeaders()],
    ['sends everything but the last byte', (_, response) => response.writeHead(200).write(TEXT.slice(0, -1))],
    ['sends a byte at a time', (_, response) => dribble(response)],
    ['refuses with an endless body', (_, response) => response.writeHead(500).write('x')],
  ]

  it.each(slow)('a slow host is given up when it %s', async (_, answer) => {
    let hungUp = Promise.resolve<unknown>(undefined)
    const { send } = await remoteSender(
      KEY,
      (request, response) => {
        hungUp = once(response, 'close')
        if (typeof answer === 'function') answer(request, response)
      },
      { timeoutSeconds: 0.2 },
    )
    await expect(send()).rejects.toMatchObject(
      unavailable(/did not answer within 200 ms|answered with status 500/),
    )
    await hungUp
  })

  it('a slow host is given up over TLS as well', async () => {
    const host = await secureKeyHost((_, response) => dribble(response))
    const keySet = remoteKeySet(host.url, { fetch: host.fetch, timeoutSeconds: 0.2 })
    await expect(jwtSender(KEY, { keySet }).send()).rejects.toMatchObject(unavailable(/within 200 ms/))
  })

  it('a slow host is given up although the given fetch ignores its signal', async () => {
    const keySet = remoteKeySet('https://keys.example', {
      fetch: () => new Promise(() => {}),
      timeoutSeconds: 0.05,
    })
    await expect(jwtSender(KEY, { keySet }).send()).rejects.toMatchObject(unavailable(/within 50 ms/))
  })
})

it('a host is given 5 seconds, unless another timeout is set', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const keySet = remoteKeySet('https://keys.example', { fetch: () => new Promise(() => {}) })
  const found = Promise.resolve(keySet.find('first', 'ES256'))
  vi.advanceTimersByTime(5_000)
  await expect(found).rejects.toMatchObject(unavailable(/within 5000 ms/))
})

/** A body of this many megabytes, written as fast as the reader takes it. */
function makeFlood(megabytes: number, status = 200) {
  const chunk = Buffer.alloc(64 * 1024, ' ')
  let written = 0
  const { promise: over, resolve } = withResolvers()
  const answer: KeyHostAnswer = async (_, response) => {
    response.writeHead(status).once('close', resolve)
    while (!response.destroyed && written < megabytes * MEGABYTE) {
      written += chunk.length
      if (!response.write(chunk)) await Promise.race([once(response, 'drain'), over])
    }
    response.end()
  }
  return { answer, over, written: () => written }
}

function dribble(response: ServerResponse): void {
  const timer = setInterval(() => response.write(' '), 20)
  response.once('close', () => clearInterval(timer))
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
