import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, NetConnectOpts } from 'node:net'
import { createInterface } from 'node:readline'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Case } from '../../../cli/commands/conform/case.ts'
import { hmacMethod, jwtMethod, type SigningMethod } from '../../../cli/commands/conform/methods.ts'
import { eventCases, refusalCases } from '../../../cli/commands/conform/own-cases.ts'
import { type CaseResult, resultsOf } from '../../../cli/commands/conform/run.ts'
import { type Authenticator, defineListener, hmac } from '../../../src/index.ts'
import { jwt, localKeySet } from '../../../src/jwt.ts'
import { memoryStore } from '../../../src/stores/memory.ts'
import { findPython } from '../../oracle/oracle.ts'
import { newKey } from '../../support/keys.ts'
import { TARGETS } from '../../support/servers.ts'
import { runCommand } from '../shared-process.ts'
import { PATH } from '../support.ts'
import { plainReceiver } from './plain-receiver.ts'

const SECRET = 'Zk3x8bY1cD-eF_gH2iJ4kL6mN8oP0qRsTuVwXyZaBcD'
const ENDPOINT = { subject: 'https://tenant.example', audience: 'https://tenant.example/hook' }
const KEY = newKey('ES256', 'k1')
const ORACLE = fileURLToPath(new URL('../../oracle/python', import.meta.url))

const METHODS: { readonly [name: string]: { readonly auth: Authenticator; readonly signer: SigningMethod } } =
  {
    HMAC: { auth: hmac({ secrets: SECRET }), signer: hmacMethod(SECRET) },
    JWT: {
      auth: jwt({ keySet: localKeySet({ keys: [KEY.publicKey] }), ...ENDPOINT }),
      signer: jwtMethod({ privateKey: KEY.privateKey, ...ENDPOINT }),
    },
  }

const casesOf = (signer: SigningMethod): readonly Case[] => [...eventCases(signer), ...refusalCases(signer)]

async function conform(url: string, signer: SigningMethod): Promise<CaseResult[]> {
  const seen: CaseResult[] = []
  for await (const finding of resultsOf(new URL(url), casesOf(signer))) seen.push(finding)
  return seen
}

function urlOf(address: NetConnectOpts): string {
  return `http://127.0.0.1:${'port' in address ? address.port : 0}/hooks`
}

describe.each(Object.entries(METHODS))('conform with %s', (_, { auth, signer }) => {
  it('conform has at least 60 cases, each with its own name', () => {
    const names = casesOf(signer).map(({ name }) => name)
    expect(names.length).toBeGreaterThanOrEqual(60)
    expect(new Set(names).size).toBe(names.length)
  })

  it.each(Object.entries(TARGETS))(
    'conform finds nothing in hookgate on %s, and leaves 3 events',
    async (_, start) => {
      const listener = defineListener({ id: 'conform', auth, store: memoryStore() })
      const { address, handled } = await start({ target: listener })
      const seen = await conform(urlOf(address), signer)
      expect(seen.filter(({ result }) => result !== 'ok')).toEqual([])
      const left = new Set(seen.flatMap(({ acceptedEventId }) => acceptedEventId ?? []))
      expect(left.size).toBe(3)
      expect(new Set(handled.map(({ id }) => id))).toEqual(left)
    },
  )
})

const python = findPython()
const noPython = python ? '' : ' (skipped: no Python with cryptography here)'

/** The second implementation of this repository, behind a server that knows none of the rules. */
async function oracleReceiver(program: string, listener: object): Promise<string> {
  const oracle = spawn(program, ['-I', '-B', '-u', ORACLE], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: oracle.stdout })[Symbol.asyncIterator]()
  const ask = async (line: object): Promise<string> => {
    oracle.stdin.write(`${JSON.stringify(line)}\n`)
    return JSON.parse((await lines.next()).value)
  }
  await ask({ listener: { id: 'oracle', store: 1, ...listener } })
  let deliveries = 0
  const server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString('base64')
    const headers = Object.fromEntries(
      Object.entries(request.headersDistinct).map(([name, values = []]) => [
        name,
        values.length > 1 ? values : values[0],
      ]),
    )
    const nowMs = Date.now()
    const answer = await ask({ deliver: { method: request.method, headers, body }, nowMs, odd: [] })
    const [word = '', reason = ''] = answer.split(' ')
    if (word === 'accepted') await ask({ settle: deliveries, verb: 'commit', nowMs })
    deliveries += 1
    if (word === 'accepted') return response.end()
    const code = word === '401' ? 'unauthorized' : reason
    response.writeHead(Number(word)).end(JSON.stringify({ code }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    oracle.stdin.end()
    await once(oracle, 'close')
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`
}

const ORACLES = {
  HMAC: { hmac: [{ id: 'main', secret: SECRET }] },
  JWT: { jwt: { ...ENDPOINT, jwks: { keys: [KEY.publicKey] } } },
}

describe('a receiver in another language', () => {
  it.skipIf(!python).each(Object.entries(ORACLES))(
    `the oracle in Python, with %s, is found to do as specified${noPython}`,
    async (method, setup) => {
      const url = await oracleReceiver(python ?? '', setup)
      const signer = METHODS[method]?.signer ?? hmacMethod(SECRET)
      expect((await conform(url, signer)).filter(({ result }) => result !== 'ok')).toEqual([])
    },
  )
})

describe('hookgate conform', () => {
  const env = { HOOKGATE_SECRET: SECRET }

  it('conform prints what is broken and the rule, a summary, and the events left behind', async () => {
    const url = await plainReceiver(SECRET, { isFresh: () => true })
    const { code, stdout, stderr } = await runCommand(['conform', url], { env })
    const [old, rule, ahead, sameRule, summary, left, ...more] = stdout.trimEnd().split('\n')
    expect([old, ahead]).toEqual([
      'broken  a timestamp 320 s old: 200, not 400 timestamp_out_of_range',
      'broken  a timestamp 320 s ahead: 200, not 400 timestamp_out_of_range',
    ])
    expect(rule).toBe(
      '        Refuse a Webhook-Timestamp over 300 s from now: old deliveries could be replayed.',
    )
    expect(sameRule).toBe(rule)
    const [, passed, sent] = /^(\d+) of (\d+) as specified, 2 broken$/.exec(summary ?? '') ?? []
    expect(Number(sent) - Number(passed)).toBe(2)
    expect(left).toMatch(/^events left behind:( [0-9a-f-]{36}){5}$/) // including the two that were accepted by mistake
    expect([more, code, stderr]).toEqual([[], 1, ''])
  })

  it('conform exits with 0 if all is as specified, and prints nothing else', async () => {
    const { code, stdout } = await runCommand(['conform', await plainReceiver(SECRET)], { env })
    expect(stdout).toMatch(
      /^(\d{2,}) of \1 as specified, 0 broken\nevents left behind:( [0-9a-f-]{36}){3}\n$/,
    )
    expect(code).toBe(0)
  })

  it('conform prints each case with --all, and as NDJSON with --json; the secret is in neither', async () => {
    const url = await plainReceiver(SECRET)
    const all = await runCommand(['conform', url, '--all'], { env })
    const passed = all.stdout.split('\n').filter((line) => line.startsWith('ok '))
    expect(all.stdout).toContain(`${passed.length} of ${passed.length} as specified`)
    const json = await runCommand(['conform', url, '--json'], { env })
    const lines: object[] = json.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines).toHaveLength(passed.length)
    expect(lines[1]).toEqual({
      name: 'the same event, newly signed',
      rule: expect.any(String),
      result: 'ok',
      expected: '409 event_duplicate',
      answered: '409',
    })
    expect(all.stdout + json.stdout).not.toContain(SECRET)
  })

  it('conform says once that nobody answers', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    const { code, stdout, stderr } = await runCommand(['conform', `http://127.0.0.1:${port}${PATH}`], { env })
    expect([code, stdout]).toEqual([1, ''])
    const fix = 'start your app, or correct the host and the port'
    expect(stderr).toBe(`hookgate conform: nothing listens on 127.0.0.1:${port}: ${fix}\n`)
  })

  it('the status of an answer that breaks off counts', async () => {
    const server = createServer((request, response) => {
      request.resume()
      response.writeHead(200, { 'content-length': 10 }).write('half', () => response.destroy())
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const { stdout } = await runCommand(['conform', `http://127.0.0.1:${port}/`, '--all'], { env })
    expect(stdout).toMatch(/^ok +a delivery: 200$/m)
  })

  it('conform prints only known words of the receiver, never its text', async () => {
    const server = createServer((request, response) => {
      request.resume()
      response.writeHead(200).end('{"code":"\\u001b[2J"} \u001b[2J')
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const { stdout } = await runCommand(['conform', `http://127.0.0.1:${port}/`, '--all'], { env })
    expect(stdout).not.toContain('\u001b')
  })

  it.each([
    [[], env, 'needs a URL'],
    [['ftp://a.example'], env, 'URL takes http:// or https:// and a host'],
    [
      ['http://127.0.0.1:9/', '--key', 'a', '--secret-file', 'b'],
      {},
      'give --key or --secret-file, not both',
    ],
    [['http://127.0.0.1:9/'], {}, 'secret'],
    [['http://127.0.0.1:9/', '--scheme', 'twilio', '--public-url', 'x'], env, 'give it in full'],
    [['http://127.0.0.1:9/', '--key', 'missing.jwk.json'], {}, 'missing.jwk.json'],
  ])('%j is a usage error', async (args, given, says) => {
    const { code, stderr } = await runCommand(['conform', ...args], { env: given })
    expect(code).toBe(2)
    expect(stderr).toContain(says)
  })
})
