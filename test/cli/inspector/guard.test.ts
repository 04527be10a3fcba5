import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { describe, expect, it } from 'vitest'
import { hookgate } from '../support.ts'
import { rawAsk, SECRET, startInspector } from './support.ts'

describe('the port of the inspector', () => {
  it('the port answers no API request without the token, and with the wrong one', async () => {
    const { port, token } = await startInspector()
    const wrong = [
      undefined,
      'Bearer',
      `Bearer ${token}x`,
      `Bearer ${token.slice(1)}`,
      `Basic ${token}`,
      token,
    ]
    for (const authorization of wrong) {
      for (const path of ['/api/stream', '/api/export.ndjson', '/api/deliveries/1']) {
        const { status } = await rawAsk(port, path, authorization === undefined ? {} : { authorization })
        expect(status).toBe(401)
      }
    }
    expect((await rawAsk(port, '/api/export.ndjson', { authorization: `Bearer ${token}` })).status).toBe(200)
    expect(
      (await rawAsk(port, `/api/export.ndjson?token=${token}`, { cookie: `token=${token}` })).status,
    ).toBe(401)
  })

  it('the port answers to its own name only, so that a rebound name gets nothing', async () => {
    const { port, token } = await startInspector()
    const authorization = `Bearer ${token}`
    const foreign = [
      'rebind.test',
      `rebind.test:${port}`,
      '127.0.0.1',
      `127.0.0.1:${port + 1}`,
      `127.0.0.1.nip.test:${port}`,
    ]
    for (const host of foreign) {
      for (const path of ['/', '/page.js', '/api/export.ndjson']) {
        expect((await rawAsk(port, path, { host, authorization })).status).toBe(403)
      }
    }
    expect((await rawAsk(port, '/', { host: `localhost:${port}` })).status).toBe(200)
  })

  it.each(['cross-site', 'same-site'])('the port refuses requests that a browser labels %s', async (site) => {
    const { port, token } = await startInspector()
    const headers = { authorization: `Bearer ${token}`, 'sec-fetch-site': site }
    expect((await rawAsk(port, '/', headers)).status).toBe(403)
    expect((await rawAsk(port, '/api/export.ndjson', headers)).status).toBe(403)
    const own = { ...headers, 'sec-fetch-site': 'same-origin' }
    expect((await rawAsk(port, '/api/export.ndjson', own)).status).toBe(200)
  })

  it('the port sends its policy with every answer, and never a cookie', async () => {
    const { port } = await startInspector()
    for (const path of ['/', '/page.css', '/page.js', '/icon.svg', '/nothing', '/api/stream']) {
      const { headers } = await rawAsk(port, path)
      expect(headers).toMatchObject({
        'content-security-policy': expect.stringMatching(
          /default-src 'none'.*frame-ancestors 'none'.*require-trusted-types-for 'script'/,
        ),
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      })
      expect(headers).not.toHaveProperty('set-cookie')
      expect(headers).not.toHaveProperty('access-control-allow-origin')
    }
  })

  it('the port is open on loopback only, even if the endpoint is open to all', async () => {
    const { port } = await startInspector(['--host', '0.0.0.0'])
    const addresses = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .filter(({ internal, family }) => !internal && family === 'IPv4')
      .map(({ address }) => address)
    for (const host of [...addresses, '127.0.0.2']) {
      const outcome = await new Promise((resolve) => {
        const socket = connect({ host, port })
        socket
          .once('connect', () => resolve(socket.destroy() && 'open'))
          .once('error', () => resolve('closed'))
      })
      expect(outcome).toBe('closed')
    }
  })

  it('the port takes the next port when its own is in use, and says so', async () => {
    const first = await startInspector()
    const second = await startInspector(['--ui-port', `${first.port}`])
    expect(second.port).toBeGreaterThan(first.port)
    await second.listener.stderr.waitFor(new RegExp(`port ${first.port} is in use`))
  })

  it('each run has a new token', async () => {
    const [first, second] = await Promise.all([startInspector(), startInspector()])
    expect(first.token).toMatch(/^[\w-]{43}$/)
    expect(second.token).not.toBe(first.token)
  })

  it('Ctrl-C stops listen even if a tab is still open', async () => {
    const { listener, ask } = await startInspector()
    const stream = await ask('stream')
    expect(await listener.stop()).toBe(0)
    await stream.text().catch(() => {})
  })
})

describe('its options', () => {
  const env = { HOOKGATE_SECRET: SECRET }

  it.each([
    [['--ui-port', '0'], /--ui-port is for the inspector: add --ui/],
    [['--keep', '10'], /--keep is for the inspector: add --ui/],
    [['--ui', '--keep', '0'], /--keep takes a whole number from 1 to 100000/],
    [['--ui', '--ui-port', '65536'], /--ui-port takes a whole number from 0 to 65535/],
    [['--ui', '--load', '/nowhere/x.ndjson'], /--load \/nowhere\/x\.ndjson: the file does not exist/],
    [['--record', '/nowhere/x.ndjson'], /--record \/nowhere\/x\.ndjson: it cannot be written \(ENOENT\)/],
  ])('%j is a usage error that says what to do', async (args, message) => {
    const { code, stderr } = await hookgate(['listen', '--port', '0', ...args], { env })
    expect(code).toBe(2)
    expect(stderr).toMatch(message)
  })
})
