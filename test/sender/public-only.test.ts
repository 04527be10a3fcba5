import { execFile } from 'node:child_process'
import type { LookupAddress } from 'node:dns'
import https from 'node:https'
import { isIP, type LookupFunction, type NetConnectOpts, Socket } from 'node:net'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ListenerConfigError } from '../../src/errors.ts'
import { type Connect, deliver, type PublicOnlyOptions, publicOnly } from '../../src/sender/index.ts'
import { secureKeyHost } from '../support/key-host.ts'
import { SPELLINGS } from './addresses.ts'
import { endpoint } from './endpoint.ts'

const EVENT = { id: crypto.randomUUID(), body: '{}' }
const SECRET = 'sender-0123456789-abcdefghijklmnop'

/** Replaces the network: resolves names like a socket, and then records where it would have connected. */
function stubbedNetwork() {
  const connections: string[] = []
  const connect: Connect = (options) => {
    const { host = '', lookup } = options as NetConnectOpts & { host?: string; lookup: LookupFunction }
    const socket = new Socket()
    const arrive = (address: string) => {
      connections.push(address)
      socket.destroy(new Error('the stub leads nowhere'))
    }
    if (isIP(host)) process.nextTick(arrive, host)
    else {
      lookup(host, { all: true }, (error, found) => {
        if (error) return void process.nextTick(() => socket.destroy(error))
        for (const { address } of found as unknown as LookupAddress[]) arrive(address) // asked for all addresses
      })
    }
    return socket
  }
  return { connections, connect }
}

/** A fake name server. Each question gets the next answer, and the last one repeats. */
function nameServer(...answers: readonly (readonly string[])[]) {
  let asked = 0
  const lookup: LookupFunction = (_, options, callback) => {
    const addresses = answers[Math.min(asked, answers.length - 1)] ?? []
    asked += 1
    const found = addresses.map((address) => ({ address, family: isIP(address) }))
    const [first = { address: '', family: 4 }] = found
    process.nextTick(() =>
      options.all ? callback(null, found) : callback(null, first.address, first.family),
    )
  }
  return { lookup, asked: () => asked }
}

function attemptAt(url: string, options: PublicOnlyOptions) {
  return deliver({ url, secret: SECRET }, EVENT, { agents: publicOnly(options) })
}

describe('an address that is not public', () => {
  it('a private address is tested in more than 40 spellings', () => {
    expect(new Set(SPELLINGS).size).toBeGreaterThanOrEqual(40)
  })

  it.each(SPELLINGS)(
    '%s is refused permanently without a connect call, over http: and https:',
    async (host) => {
      const { connect, connections } = stubbedNetwork()
      for (const protocol of ['http', 'https']) {
        const attempt = await attemptAt(`${protocol}://${host}/latest/meta-data`, { connect })
        expect(attempt).toMatchObject({ outcome: 'never', reason: 'address_not_public' })
      }
      expect(connections).toEqual([])
    },
  )

  it.each(SPELLINGS)('%s is refused when a name leads there', async (host) => {
    const address = new URL(`http://${host}`).hostname.replace(/^\[(.*)\]$/, '$1')
    const { connect, connections } = stubbedNetwork()
    const { lookup } = nameServer([address])
    const attempt = await attemptAt('https://endpoint.example/', { connect, lookup })
    expect(attempt).toMatchObject({ outcome: 'never', reason: 'address_not_public' })
    expect(connections).toEqual([])
  })

  it('a private address has its name refused, even if another address of the name is public', async () => {
    const { connect, connections } = stubbedNetwork()
    const { lookup } = nameServer(['203.0.114.7', '10.0.0.1'])
    expect(await attemptAt('http://endpoint.example/', { connect, lookup })).toMatchObject({
      outcome: 'never',
    })
    expect(connections).toEqual([])
  })

  it('a private address is allowed where you say so, and its neighbour is not', async () => {
    const { connect, connections } = stubbedNetwork()
    const options = { connect, allow: ['10.20.0.0/16'] }
    expect(await attemptAt('http://10.20.255.255/', options)).toMatchObject({ outcome: 'again' })
    expect(await attemptAt('http://10.21.0.0/', options)).toMatchObject({ outcome: 'never' })
    expect(connections).toEqual(['10.20.255.255'])
  })
})

describe('a public address', () => {
  it.each(['203.0.114.7', '[2606:4700::1111]'])('%s is connected to', async (host) => {
    const { connect, connections } = stubbedNetwork()
    expect(await attemptAt(`https://${host}/`, { connect })).toMatchObject({
      outcome: 'again',
      reason: 'connection_failed',
    })
    expect(connections).toEqual([host.replace(/[[\]]/g, '')])
  })

  it('a public address of a name is looked up once, judged, and connected to', async () => {
    const { connect, connections } = stubbedNetwork()
    const names = nameServer(['203.0.114.7'], ['127.0.0.1'])
    await attemptAt('https://endpoint.example/', { connect, lookup: names.lookup })
    expect([names.asked(), connections]).toEqual([1, ['203.0.114.7']])
  })
})

describe('a name that changes its answer between the check and the connection', () => {
  it('the connection goes to the address that was judged: Node itself asks only once', async () => {
    const { port } = await endpoint((_, response) => response.end())
    const names = nameServer(['127.0.0.1'], ['127.0.0.2'])
    const options = { lookup: names.lookup, allow: ['127.0.0.1/32'] }
    const attempt = await attemptAt(`http://endpoint.example:${port}/`, options)
    expect(attempt).toMatchObject({ outcome: 'done', status: 200 })
    expect(names.asked()).toBe(1)
  })

  it('the name is checked again at the next attempt, and refused', async () => {
    let requests = 0
    const { port } = await endpoint((_, response) => {
      requests += 1
      response.end()
    })
    const { lookup } = nameServer(['127.0.0.1'], ['127.0.0.2'])
    const agents = publicOnly({ lookup, allow: ['127.0.0.1/32'] })
    const send = () => deliver({ url: `http://endpoint.example:${port}/`, secret: SECRET }, EVENT, { agents })
    expect(await send()).toMatchObject({ outcome: 'done' })
    expect(await send()).toMatchObject({ outcome: 'never', reason: 'address_not_public' })
    expect(requests).toBe(1)
  })
})

describe('over TLS', () => {
  const trusted = async () => {
    const host = await secureKeyHost({})
    const { port } = new URL(host.url)
    const { lookup } = nameServer(['127.0.0.1'])
    return { host, port, options: { lookup, ca: host.certificate, allow: ['127.0.0.1/32'] } }
  }

  it('the certificate must match the original name', async () => {
    const { host, port, options } = await trusted()
    expect(await attemptAt(`https://keys.test:${port}/`, options)).toMatchObject({ outcome: 'done' })
    const another = await attemptAt(`https://another.example:${port}/`, options)
    expect(another).toMatchObject({ outcome: 'again', reason: 'certificate_refused' })
    expect(host.requests).toBe(1)
  })

  it('an untrusted certificate is refused', async () => {
    const { host, port, options } = await trusted()
    const { ca: _, ...untrusting } = options
    const attempt = await attemptAt(`https://keys.test:${port}/`, untrusting)
    expect(attempt).toMatchObject({ outcome: 'again', reason: 'certificate_refused' })
    expect(host.requests).toBe(0)
  })
})

describe('the agents, with an HTTP client of your own', () => {
  it('the agents refuse an address before the connection, as an error of the request', async () => {
    const { connect, connections } = stubbedNetwork()
    const request = https.get('https://169.254.169.254/', { agent: publicOnly({ connect }).https })
    const error = await new Promise((resolve) => request.once('error', resolve))
    expect(error).toMatchObject({ code: 'ERR_ADDRESS_REFUSED' })
    expect(connections).toEqual([])
  })

  it('the agents refuse Unix sockets', async () => {
    const { connect, connections } = stubbedNetwork()
    const request = https.get({ socketPath: '/run/secret.sock', agent: publicOnly({ connect }).https })
    const error = await new Promise((resolve) => request.once('error', resolve))
    expect(error).toMatchObject({ code: 'ERR_ADDRESS_REFUSED' })
    expect(connections).toEqual([])
  })
})

it('HTTP_PROXY is not used: a proxy would look names up by itself', async () => {
  const proxied: unknown[] = []
  const proxy = await endpoint((request, response) => {
    proxied.push(request.url)
    response.end()
  })
  const target = await endpoint((_, response) => response.writeHead(204).end())
  const program = `
    import { deliver, publicOnly } from 'hookgate/sender'
    const agents = publicOnly({ allow: ['127.0.0.1/32'] })
    const attempt = await deliver({ url: '${target.url}', secret: '${SECRET}' }, { id: 'a', body: '' }, { agents })
    console.log(attempt.status)`
  const address = `http://127.0.0.1:${proxy.port}`
  const env = { ...process.env, NODE_USE_ENV_PROXY: '1', HTTP_PROXY: address, http_proxy: address }
  const args = ['--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)(process.execPath, args, { env })
  expect([stdout.trim(), proxied]).toEqual(['204', []])
})

it('the stub of these tests records its connect calls', async () => {
  const { connect, connections } = stubbedNetwork()
  connect({ host: '203.0.114.7', port: 443 }).on('error', () => {})
  await new Promise(setImmediate)
  expect(connections).toEqual(['203.0.114.7'])
})

it.each([
  ['a misspelt option', { alow: [] }],
  ['no networks', { allow: [] }],
  ['an invalid network', { allow: ['10.0.0.0'] }],
  ['certificates in an object', { ca: {} }],
  ['a lookup that is not a function', { lookup: 'dns' }],
])('%s is refused', (_, options) => {
  expect(() => publicOnly(options as PublicOnlyOptions)).toThrow(ListenerConfigError)
})
