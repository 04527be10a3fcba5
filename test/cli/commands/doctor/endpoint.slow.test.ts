import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { RequestHandler } from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { signHmac } from '../../../../src/testing/index.ts'
import { selfSigned } from '../../../support/self-signed.ts'
import { SECRET } from '../../support.ts'
import { diagnose, endpoint, serve } from './support.ts'

const env = { HOOKGATE_SECRET: SECRET }

/** An event that the endpoint has accepted. */
async function doneEvent(url: string): Promise<string> {
  const request = await signHmac({ secret: SECRET, body: '{}' })
  expect((await fetch(url, request)).status).toBe(200)
  return request.headers['webhook-event-id'] ?? ''
}

it('a healthy endpoint gets no warning, keeps no claim, and runs no handler', async () => {
  const { url, claims, runs } = await endpoint()
  const eventId = await doneEvent(url)
  const { code, complaints, findings, output } = await diagnose(['--url', url, '--event-id', eventId], {
    env,
  })
  expect(complaints).toEqual([])
  expect(code).toBe(0)
  const told = findings.filter(({ status }) => status === 'ok').map(({ id }) => id)
  expect(told).toEqual([
    'runtime',
    'runtime',
    'secret.shape',
    'clock.local',
    'url',
    'clock.receiver',
    'proxy',
    'signature',
  ])
  expect([claims(), runs()]).toEqual([2, 1]) // for the earlier event and its duplicate
  expect(output).not.toContain(SECRET)
})

describe('the check url', () => {
  it.each<readonly [string, RequestHandler, RegExp]>([
    [
      'a login page',
      (_req, res) => res.redirect('https://login.example/start?state=hunter22'),
      /^fail url: .* redirects \(302\) to login.example → use the URL that it leads to/,
    ],
    [
      'a path that does not exist',
      (_req, res) => void res.status(404).send('Cannot POST'),
      /^fail url: nothing accepts POST at this path \(404\) → correct the path/,
    ],
    [
      'a page that answers everything',
      (_req, res) => void res.send('<!doctype html>'),
      /^fail url: something other than hookgate answers \(200\) → mount verifyWebhook/,
    ],
    [
      'a proxy that wants a password',
      (_req, res) => void res.status(401).send('password?'),
      /^fail url: something in front of hookgate refuses \(401\) → let this path through/,
    ],
    [
      'a server that fails',
      (_req, res) => void res.status(502).send('Bad Gateway'),
      /^fail url: the server fails \(502\) → see its logs/,
    ],
    [
      'a listener that is unknown',
      (_req, res) =>
        void res.status(404).type('application/problem+json').send('{"code":"listener_unknown"}'),
      /^fail url: hookgate has no listener at this path → correct the path/,
    ],
    [
      'a store that is down',
      (_req, res) => void res.status(503).type('application/problem+json').send('{"code":"unavailable"}'),
      /^fail url: hookgate answers 503 there: it cannot decide → see its onError/,
    ],
    [
      'a server that upgrades every connection',
      (_req, res) =>
        void res.socket?.write(
          'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
        ),
      /^fail url: .* closed the connection before it answered → see the logs of the server/,
    ],
  ])('url finds %s', async (_, inFront, complaint) => {
    const { url } = await endpoint({ inFront })
    const { code, complaints, findings, output } = await diagnose(['--url', url])
    expect(complaints).toEqual([expect.stringMatching(complaint)])
    expect(code).toBe(1)
    expect(output).not.toContain('hunter22')
    const skipped = findings.filter(({ fix }) => fix === 'fix url first').map(({ id }) => id)
    expect(skipped).toEqual(['clock.receiver', 'proxy', 'signature'])
  })

  it('url finds a port where nobody listens', async () => {
    const { code, complaints } = await diagnose(['--url', 'http://127.0.0.1:1/hooks'])
    expect(complaints).toEqual([
      'fail url: nothing listens on 127.0.0.1:1 → start your app, or correct the host and the port',
    ])
    expect(code).toBe(1)
  })

  it('url finds a certificate that is not trusted', async () => {
    const server = createServer(selfSigned(), (_req, res) => void res.end())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo // it listens on a port
    const { complaints } = await diagnose(['--url', `https://127.0.0.1:${port}/`])
    expect(complaints).toEqual([
      expect.stringMatching(/^fail url: .* is self-signed → get one from a CA that senders trust/),
    ])
  })

  it('url finds names of tokens that do not fit the URL', async () => {
    const { url } = await endpoint()
    const names = ['--public-url', 'http://hooks.example/other', '--tenant-url', 'https://tenant.example']
    const { complaints } = await diagnose(['--url', url, ...names])
    expect(complaints).toEqual([
      expect.stringContaining('warn url: --public-url has another path than --url'),
      expect.stringContaining('fail url: --public-url is not https'),
      expect.stringContaining('warn url: --tenant-url and --public-url have different hosts'),
    ])
  })
})

describe('the check clock.receiver', () => {
  it.each([
    [-148, 'warn', '148 s behind'],
    [37, 'warn', '37 s ahead of'],
    [-200, 'fail', '200 s behind'],
    [4000, 'fail', '4000 s ahead of'],
    [-7200, 'fail', '7200 s behind'],
  ])('clock.receiver finds a clock that is %i s off', async (skew, status, seen) => {
    const { url, claims } = await endpoint({ skew })
    const { complaints } = await diagnose(['--url', url])
    const [complaint = ''] = complaints.filter((text) => text.includes('clock.receiver'))
    const seconds = Number(/is (\d+) s/.exec(complaint)?.[1])
    expect(Math.abs(seconds - Math.abs(skew))).toBeLessThanOrEqual(1)
    expect(complaint.replace(`${seconds}`, `${Math.abs(skew)}`)).toBe(
      `${status} clock.receiver: the receiver's clock is ${seen} this one → set the one that is wrong with NTP; clock.local says whether it may be this one`.replace(
        `${seconds}`,
        `${Math.abs(skew)}`,
      ),
    )
    expect(claims()).toBe(0)
  })

  it('clock.receiver finds nothing wrong with a custom tolerance', async () => {
    const { url } = await endpoint({ toleranceSeconds: 60 })
    expect((await diagnose(['--url', url])).complaints).toEqual([])
  })

  it('clock.receiver finds a clock that is over a year off', async () => {
    const { url } = await endpoint({ skew: 40_000_000 })
    const { complaints } = await diagnose(['--url', url])
    expect(complaints).toContainEqual(expect.stringMatching(/fail clock.receiver: .* is hours away/))
  })

  it('clock.receiver finds nothing behind a slow network, and says so without losing other findings', async () => {
    const { url } = await endpoint({ inFront: (_req, _res, next) => void setTimeout(next, 1000) })
    const { findings } = await diagnose(['--url', url])
    const last = findings.slice(-4).map(({ id, status, seen }) => `${status} ${id}: ${seen}`)
    expect(last).toEqual([
      expect.stringMatching(/^ok url: hookgate answers at /),
      'skip clock.receiver: could not be checked (no answer in time)',
      'ok proxy: the Webhook-* headers and a body in JSON arrive; only signature tells whether byte for byte',
      'skip signature: no accepted event was given',
    ])
  })

  it('clock.receiver finds nothing behind a rate limit, and says so', async () => {
    let requests = 0
    const inFront: RequestHandler = (_req, res, next) => {
      requests += 1
      if (requests > 6) res.status(429).send('slow down')
      else next()
    }
    const { url } = await endpoint({ inFront })
    const { findings } = await diagnose(['--url', url])
    expect(findings.find(({ id }) => id === 'clock.receiver')).toMatchObject({
      status: 'skip',
      seen: 'the receiver stopped answering (429)',
      fix: 'check for a rate limit in front of it, and try again',
    })
  })
})

describe('the check clock.local', () => {
  const dated = (ms: number, more: object = {}) =>
    serve(
      (_req, res) =>
        void res.writeHead(404, { date: new Date(Date.now() + ms).toUTCString(), ...more }).end(),
    )

  it.each([
    [148_000, 'warn', 'behind'],
    [-148_000, 'warn', 'ahead of'],
    [400_000, 'fail', 'behind'],
  ])('clock.local finds a host whose clock is %i ms off', async (ms, status, side) => {
    const { complaints } = await diagnose(['--url', `${await dated(ms)}/hooks`])
    const [complaint = ''] = complaints.filter((text) => text.includes('clock.local'))
    expect(complaint).toMatch(
      new RegExp(
        `^${status} clock.local: this clock is \\d+ s ${side} that of .* → set the clock that is wrong`,
      ),
    )
    const seconds = Number(/is (\d+) s/.exec(complaint)?.[1])
    expect(Math.abs(seconds - Math.abs(ms / 1000))).toBeLessThanOrEqual(1)
  })

  it('clock.local finds nothing wrong in a cached answer, whose Date is old', async () => {
    const { findings } = await diagnose(['--url', `${await dated(-3_600_000, { age: '3600' })}/hooks`])
    expect(findings.find(({ id }) => id === 'clock.local')?.status).toBe('skip')
  })

  it('clock.local says why a host did not answer', async () => {
    const { findings } = await diagnose(['--url', 'http://127.0.0.1:1/hooks'])
    expect(findings.find(({ id }) => id === 'clock.local')).toEqual({
      id: 'clock.local',
      status: 'skip',
      seen: 'nothing listens on 127.0.0.1:1',
      fix: 'start your app, or correct the host and the port',
    })
  })
})

describe('the check proxy', () => {
  it.each<readonly [string, RequestHandler, RegExp]>([
    [
      'that drops the headers',
      (req, _res, next) => {
        req.rawHeaders = req.rawHeaders.filter((_, at, all) => !/^webhook-/i.test(all[at - (at % 2)] ?? ''))
        for (const name of Object.keys(req.headers)) if (name.startsWith('webhook-')) delete req.headers[name]
        next()
      },
      /^fail proxy: the Webhook-\* headers do not arrive → make the proxy pass them on/,
    ],
    [
      'that changes the content type',
      (req, _res, next) => {
        if (req.headers['content-type']) req.headers['content-type'] = 'text/plain'
        const at = req.rawHeaders.findIndex((name) => name.toLowerCase() === 'content-type')
        if (at >= 0) req.rawHeaders[at + 1] = 'text/plain'
        next()
      },
      /^fail proxy: a proxy changes Content-Type → make the proxy leave Content-Type alone/,
    ],
    [
      'that answers deliveries itself',
      (req, res, next) => (req.headers['webhook-event-id'] ? void res.status(403).send('blocked') : next()),
      /^fail proxy: something in front of hookgate answers deliveries → let this path through/,
    ],
  ])('proxy finds one %s', async (_, inFront, complaint) => {
    const { url } = await endpoint({ inFront })
    const { complaints } = await diagnose(['--url', url])
    expect(complaints).toContainEqual(expect.stringMatching(complaint))
  })
})

describe('the check signature', () => {
  it('signature finds a secret that is not the receiver’s', async () => {
    const { url } = await endpoint()
    const eventId = await doneEvent(url)
    const other = { HOOKGATE_SECRET: 'r7XkP2mQ-tZ9wB4vN_cLr7XkP2mQ-tZ9wB4vN_cL123' }
    const { code, complaints } = await diagnose(['--url', url, '--event-id', eventId], { env: other })
    expect(complaints).toEqual([
      expect.stringMatching(
        /^fail signature: the receiver does not accept this signature → give both sides the same secret/,
      ),
    ])
    expect(code).toBe(1)
  })

  it('signature finds an event that was not handled before: its handler runs', async () => {
    const { url, runs } = await endpoint()
    const { complaints } = await diagnose(['--url', url, '--event-id', crypto.randomUUID()], { env })
    expect(complaints).toEqual([
      expect.stringMatching(/^fail signature: the event was new, so its handler has just run/),
    ])
    expect(runs()).toBe(1)
  })

  it('signature finds an ID that is not a UUID', async () => {
    const { url } = await endpoint()
    const { complaints } = await diagnose(['--url', url, '--event-id', 'evt_1'], { env })
    expect(complaints).toEqual([
      expect.stringMatching(/^fail signature: --event-id is not a UUID v4 → give the ID/),
    ])
  })
})
