import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { isIP, type LookupFunction, Socket } from 'node:net'
import { remoteKeySet } from 'hookgate/jwt'
import type { Connect } from 'hookgate/sender'
import { describe, expect, it } from 'vitest'
import { respondWith, secureKeyHost } from '../../../test/support/key-host.ts'
import { guardedFetch } from '../../src/listeners/guarded-fetch.ts'
import { CLOUD_ADDRESSES } from './cloud-addresses.ts'

const REFUSED = { code: 'ERR_ADDRESS_REFUSED' }
const LOOPBACK = ['127.0.0.1/32']

/** A fake name server. It records its questions. */
function names(addresses: Readonly<Record<string, readonly string[]>>) {
  const asked: string[] = []
  const lookup: LookupFunction = (hostname, options, callback) => {
    asked.push(hostname)
    const found: LookupAddress[] = (addresses[hostname] ?? []).map((address) => ({
      address,
      family: isIP(address),
    }))
    const [first] = found
    if (!first) return callback(new Error('ENOTFOUND'), '')
    return options.all ? callback(null, found) : callback(null, first.address, first.family)
  }
  return { asked, lookup }
}

const init = () => ({
  method: 'GET' as const,
  redirect: 'manual' as const,
  headers: {},
  signal: new AbortController().signal,
})

const onNamedHost = (url: string) => url.replace('127.0.0.1', 'keys.test')

/** Stands in for the network: resolves names like a socket, and then records where it would have connected. */
const connector: Connect = (options) => {
  const { host = '', lookup } = options as { host?: string; lookup: LookupFunction } // from publicOnly
  const socket = new Socket()
  const connect = (error: Error | null, address: unknown) =>
    socket.destroy(error ?? new Error(`connects to ${address}`))
  process.nextTick(() => (isIP(host) ? connect(null, host) : lookup(host, { all: false }, connect)))
  return socket
}

describe('cloud metadata', () => {
  it('cloud metadata would be reachable if its address were public', async () => {
    const { lookup } = names({ 'keys.test': ['203.0.114.7'] })
    const fetch = guardedFetch({ lookup, connect: connector })
    await expect(fetch('https://keys.test/', init())).rejects.toThrow('connects to 203.0.114.7')
    await expect(fetch('https://203.0.114.7/', init())).rejects.toThrow('connects to 203.0.114.7')
  })

  it.each(CLOUD_ADDRESSES)('%s (%s) is unreachable by address and by name', async (_, address) => {
    const { lookup } = names({ 'keys.test': [address], 'both.test': ['203.0.114.7', address] })
    const fetch = guardedFetch({ lookup, connect: connector })
    const literal = isIP(address) === 6 ? `[${address}]` : address
    for (const host of ['keys.test', 'both.test', literal]) {
      const attempt = fetch(`https://${host}/latest/meta-data`, init())
      await expect(attempt).rejects.toMatchObject(REFUSED)
    }
  })

  it.each([
    'https://0xa83f8110/',
    'https://2822734096/',
    'https://168.63.33040/',
    'https://[::ffff:a83f:8110]/',
  ])('Azure: WireServer, spelt %s, is unreachable', async (url) => {
    await expect(guardedFetch({ connect: connector })(url, init())).rejects.toMatchObject(REFUSED)
  })
})

describe('a key host at a private address', () => {
  it.each([
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f.0.0.1/',
    'https://10.1.2.3/',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[fd00::1]/',
  ])('%s is refused without a lookup', async (url) => {
    await expect(guardedFetch({ connect: connector })(url, init())).rejects.toMatchObject(REFUSED)
  })

  it('a key host at a private address is refused after its name is resolved, before anything is sent', async () => {
    const host = await secureKeyHost({ keys: [] })
    const { lookup } = names({ 'keys.test': ['127.0.0.1'] })
    const fetch = guardedFetch({ lookup, ca: host.certificate })
    await expect(fetch(onNamedHost(host.url), init())).rejects.toThrow('is at 127.0.0.1')
    expect(host.requests).toBe(0)
    const allowing = guardedFetch({ lookup, ca: host.certificate, allow: LOOPBACK })
    expect((await allowing(onNamedHost(host.url), init())).status).toBe(200)
    expect(host.requests).toBe(1)
  })

  it('a key host at a private address is refused with the system resolver too', async () => {
    const host = await secureKeyHost({ keys: [] })
    const url = host.url.replace('127.0.0.1', 'localhost')
    await expect(guardedFetch({ ca: host.certificate })(url, init())).rejects.toMatchObject(REFUSED)
    expect(host.requests).toBe(0)
  })

  it('a key host at a private address is refused if any of its addresses is private', async () => {
    const { lookup } = names({ 'keys.test': ['203.0.114.7', '10.0.0.1'] })
    await expect(guardedFetch({ lookup })('https://keys.test/', init())).rejects.toThrow('is at 10.0.0.1')
  })
})

it('the fetch resolves the name once and connects to the address it checked', async () => {
  const host = await secureKeyHost({ keys: [] })
  let answers = 0
  const rebinding: LookupFunction = (_, options, callback) => {
    answers += 1
    const address = answers === 1 ? '127.0.0.1' : '127.0.0.2'
    return options.all ? callback(null, [{ address, family: 4 }]) : callback(null, address, 4)
  }
  const fetch = guardedFetch({ lookup: rebinding, allow: LOOPBACK, ca: host.certificate })
  expect(await (await fetch(onNamedHost(host.url), init())).json()).toStrictEqual({ keys: [] })
  expect(answers).toBe(1)
})

it('the fetch refuses a certificate for another name', async () => {
  const host = await secureKeyHost({ keys: [] })
  const { lookup } = names({ 'other.test': ['127.0.0.1'] })
  const fetch = guardedFetch({ lookup, ca: host.certificate, allow: LOOPBACK })
  const url = host.url.replace('127.0.0.1', 'other.test')
  await expect(fetch(url, init())).rejects.toThrow(/altnames/)
})

it('the fetch does not follow redirects', async () => {
  const host = await secureKeyHost(respondWith(302, '', { location: 'https://169.254.169.254/' }))
  const { asked, lookup } = names({ 'keys.test': ['127.0.0.1'] })
  const fetch = guardedFetch({ lookup, ca: host.certificate, allow: LOOPBACK })
  expect((await fetch(onNamedHost(host.url), init())).status).toBe(302)
  expect(asked).toStrictEqual(['keys.test'])
})

it.each([205, 404, 999])('the fetch closes the connection after an endless %i response', async (status) => {
  let closed: Promise<unknown> | undefined
  const host = await secureKeyHost(({ socket }, response) => {
    closed = once(socket, 'close')
    response.socket?.write(`HTTP/1.1 ${status} Odd\r\ncontent-length: 1000\r\n\r\n{`)
  })
  const { lookup } = names({ 'keys.test': ['127.0.0.1'] })
  const fetch = guardedFetch({ lookup, ca: host.certificate, allow: LOOPBACK })
  const keySet = remoteKeySet(onNamedHost(host.url), { fetch })
  await expect(keySet.find('key', 'ES256')).rejects.toThrow(`${status === 999 ? 'status' : status}`)
  await closed
})

it('the fetch refuses http: URLs', async () => {
  await expect(guardedFetch()('http://keys.test/', init())).rejects.toThrow('only https:')
})

it('the fetch ends an aborted attempt at once', async () => {
  const host = await secureKeyHost(() => {})
  const { lookup } = names({ 'keys.test': ['127.0.0.1'] })
  const fetch = guardedFetch({ lookup, ca: host.certificate, allow: LOOPBACK })
  const abort = new AbortController()
  const attempt = fetch(onNamedHost(host.url), { ...init(), signal: abort.signal })
  abort.abort()
  await expect(attempt).rejects.toThrow('abort')
})

it('the fetch lets a key set report why it has no keys', async () => {
  const { lookup } = names({ 'keys.test': ['192.168.1.1'] })
  const keySet = remoteKeySet('https://keys.test/jwks.json', { fetch: guardedFetch({ lookup }) })
  await expect(keySet.find('key', 'ES256')).rejects.toThrow('is at 192.168.1.1')
})
