import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import type { NetConnectOpts } from 'node:net'
import { buffer } from 'node:stream/consumers'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { verifyWebhook } from '../../../adapters/express.ts'
import { type CaseResult, resultsOf } from '../../../cli/commands/conform/run.ts'
import { schemeCases, senderIdOf } from '../../../cli/commands/conform/scheme-cases.ts'
import { allSchemes, canSign, loadScheme } from '../../../cli/signing/schemes.ts'
import { defineListener } from '../../../src/index.ts'
import { memoryStore } from '../../../src/stores/memory.ts'
import { type Sender, senderOf } from '../../support/sender-keys.ts'
import { serve } from '../../support/servers.ts'
import { runCommand } from '../shared-process.ts'
import { temporaryFile } from '../support.ts'

const QUERY = '?id=%2F1'
const PUBLIC_URL = `https://receiver.example/hooks${QUERY}`
const TEN = 'stripe github slack shopify twilio standard-webhooks svix linear discord meta paddle'.split(' ')

function urlOf(address: NetConnectOpts): string {
  return `http://127.0.0.1:${'port' in address ? address.port : 0}/hooks`
}

async function receiverOf({ factory, options }: Sender) {
  const listener = defineListener({
    id: 'conform',
    auth: factory(options),
    store: memoryStore(),
    onVerdict: null,
  })
  let runs = 0
  const app = express().post('/hooks', verifyWebhook(listener), (_, response) => {
    runs += 1
    response.end()
  })
  const { address } = await serve(app)
  return { url: urlOf(address), runs: () => runs }
}

async function conform(url: string, { factory, keys }: Sender): Promise<CaseResult[]> {
  const seen: CaseResult[] = []
  for await (const finding of resultsOf(
    new URL(url + QUERY),
    schemeCases(factory, keys),
    senderIdOf(factory.scheme),
  ))
    seen.push(finding)
  return seen
}

const signable = (await allSchemes()).filter(canSign)

describe('conform --scheme', () => {
  it.each(signable.map((factory) => [factory.scheme.name, factory] as const))(
    'conform finds nothing in hookgate as a receiver of %s, whose handler runs only for what was accepted',
    async (_, factory) => {
      const sender = await senderOf(factory, PUBLIC_URL)
      const { url, runs } = await receiverOf(sender)
      const seen = await conform(url, sender)
      expect(seen.filter(({ result }) => result !== 'ok')).toEqual([])
      const isAccepted = ({ answered }: CaseResult) => answered === '200'
      expect(runs()).toBeGreaterThanOrEqual(2)
      expect(runs()).toBeLessThanOrEqual(seen.filter(isAccepted).length)
      expect(seen.filter((finding) => !isAccepted(finding)).length).toBeGreaterThanOrEqual(3)
    },
  )

  it.each(TEN)('conform has a name and a rule for each case of %s', async (name) => {
    const { factory, keys } = await senderOf(await loadScheme(name), PUBLIC_URL)
    const cases = schemeCases(factory, keys)
    expect(cases.length).toBeGreaterThanOrEqual(15)
    expect(new Set(cases.map((each) => each.name)).size).toBe(cases.length)
    for (const { rule } of cases) {
      expect(rule).toMatch(/^[A-Z].{10,}\.$/)
      expect(rule, 'begins with a word').toMatch(/^[A-Z][a-z]* /)
    }
  })

  it('conform sends nothing old to a receiver of GitHub, which signs no time', async () => {
    const ofGithub = await senderOf(await loadScheme('github'), PUBLIC_URL)
    expect(
      schemeCases(ofGithub.factory, ofGithub.keys).filter(({ name }) => / ago$|time/.test(name)),
    ).toEqual([])
    const ofStripe = await senderOf(await loadScheme('stripe'), PUBLIC_URL)
    const old = schemeCases(ofStripe.factory, ofStripe.keys).filter(({ name }) => / ago$/.test(name))
    expect(old.map(({ name }) => name)).toEqual([
      'a delivery signed 290 s ago',
      'a delivery signed 320 s ago',
    ])
  })
})

const SECRET = 'whsec_of-a-test-with-32-characters-0'

/** The steps of a receiver of Stripe without hookgate. Each fault replaces one. */
interface Steps {
  readonly mostBytes: number
  readonly signed: (body: Buffer) => Buffer | string
  readonly isFresh: (seconds: number) => boolean
  readonly matches: (given: readonly string[], mac: string) => boolean
  readonly duplicateStatus: number
  readonly remembersFirst: boolean
  readonly isMethod: (method: string | undefined) => boolean
  readonly notJsonStatus: number
}

const same = (given: string, mac: string) =>
  given.length === mac.length && timingSafeEqual(Buffer.from(given), Buffer.from(mac))

const RIGHT: Steps = {
  mostBytes: 1_000_000,
  signed: (body) => body,
  isFresh: (seconds) => Math.abs(Date.now() / 1000 - seconds) <= 300,
  matches: (given, mac) => given.some((each) => same(each, mac)),
  duplicateStatus: 200,
  remembersFirst: false,
  isMethod: (method) => method === 'POST',
  notJsonStatus: 400,
}

async function stripeReceiver(wrong: Partial<Steps> = {}): Promise<string> {
  const steps = { ...RIGHT, ...wrong }
  const seen = new Set<string>()
  const statusOf = (method: string | undefined, header: string, body: Buffer): number => {
    if (!steps.isMethod(method)) return 405
    if (body.length > steps.mostBytes) return 413
    const items = header.split(',').map((item) => item.split('=') as [string, string]) // two each
    const time = items.find(([name]) => name === 't')?.[1] ?? ''
    const id = /"id":"(evt_\w+)"/.exec(body.toString())?.[1] ?? ''
    if (steps.remembersFirst && seen.size === seen.add(id).size) return steps.duplicateStatus
    const mac = createHmac('sha256', SECRET).update(`${time}.`).update(steps.signed(body)).digest('hex')
    const given = items.filter(([name]) => name === 'v1').map(([, value]) => value)
    if (!steps.matches(given, mac) || !steps.isFresh(Number(time))) return 400 // as Stripe's own example does
    try {
      JSON.parse(body.toString())
    } catch {
      return steps.notJsonStatus
    }
    return !steps.remembersFirst && seen.size === seen.add(id).size ? steps.duplicateStatus : 200
  }
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    const { 'stripe-signature': header = '' } = request.headers
    response.writeHead(statusOf(request.method, `${header}`, body)).end()
  })
  return urlOf((await serve(server)).address)
}

/** The body parsed and printed again, as a framework's parser leaves it to a careless handler. */
function printedAgain(body: Buffer): string {
  try {
    return JSON.stringify(JSON.parse(body.toString()))
  } catch {
    return ''
  }
}

const FAULTS: readonly (readonly [fault: string, wrong: Partial<Steps>, shownBy: string])[] = [
  ['compares nothing', { matches: () => true }, "another secret's signature"],
  [
    'needs no signature',
    {
      matches: (given, mac) => given.length === 0 || RIGHT.matches(given, mac),
      isFresh: (seconds) => seconds === 0 || RIGHT.isFresh(seconds),
    },
    'no signature',
  ],
  [
    'compares only a prefix',
    { matches: (given, mac) => given.some((each) => mac.startsWith(each)) },
    'a signature that lacks its end',
  ],
  [
    'compares the first signature only',
    { matches: ([first = ''], mac) => same(first, mac) },
    'a wrong signature before the right one',
  ],
  ['takes any time', { isFresh: () => true }, 'a delivery signed 320 s ago'],
  [
    'tolerates 4 minutes only',
    { isFresh: (seconds) => Math.abs(Date.now() / 1000 - seconds) <= 240 },
    'a delivery signed 290 s ago',
  ],
  ['prints the body again', { signed: printedAgain }, 'a body with spaces and a line break'],
  ['reads the body as Latin-1', { signed: (body) => body.toString('latin1') }, 'a body beyond ASCII'],
  ['reads at most 100 KB', { mostBytes: 102_400 }, 'a body of 200 KB'],
  ['answers 409 to a duplicate', { duplicateStatus: 409 }, 'the same delivery again'],
  [
    'remembers before it verifies',
    { remembersFirst: true, duplicateStatus: 409 },
    'the same event, correctly signed',
  ],
  ['answers 500 to what is not JSON', { notJsonStatus: 500 }, 'a signed body that is not JSON'],
  ['takes any method', { isMethod: () => true }, 'the method PUT'],
]

describe('conform --scheme stripe', () => {
  const env = { HOOKGATE_SECRET: SECRET }
  const args = ['--scheme', 'stripe']

  it('conform finds nothing in a correct receiver that does not use hookgate', async () => {
    const { code, stdout, stderr } = await runCommand(['conform', await stripeReceiver(), ...args], { env })
    expect(stdout).toMatch(/^(\d+) of \1 as specified, 0 broken\nevents left behind: evt_\w+ evt_\w+\n$/)
    expect([code, stderr]).toEqual([0, ''])
  })

  it.each(FAULTS)('conform names the case that a receiver fails which %s', async (_, wrong, shownBy) => {
    const { code, stdout } = await runCommand(['conform', await stripeReceiver(wrong), ...args], { env })
    expect(stdout).toMatch(new RegExp(`^broken {2}${shownBy}: \\d{3}, not \\d{3}.*\n {8}[A-Z].*\\.\n`, 'm'))
    expect(code).toBe(1)
  })

  it('conform says first that the secret may be another', async () => {
    const other = { HOOKGATE_SECRET: 'whsec_another-secret-of-this-test' }
    const { code, stdout } = await runCommand(['conform', await stripeReceiver(), ...args], { env: other })
    expect(stdout).toMatch(
      /^broken {2}a delivery: 400, not 200\n {8}Accept what Stripe signs with this secret/,
    )
    expect(code).toBe(1)
  })

  it.each([
    [['--scheme', 'strpe'], 'did you mean stripe?'],
    [['--scheme', 'sns'], 'only the sender has the key'],
    [['--scheme', 'discord'], 'add --key FILE'],
    [['--scheme', 'livekit'], 'add --key-id TEXT'],
    [['--key-id', 'x'], 'add --scheme NAME'],
    [['--scheme', 'stripe', '--tenant-url', 'https://a.example'], 'leave it out'],
    [['--scheme', 'svix'], 'whsec_'],
  ])('%j is a usage error', async (given, says) => {
    const { code, stderr } = await runCommand(['conform', 'http://127.0.0.1:9/', ...given], {
      env: { HOOKGATE_SECRET: 'not of Svix' },
    })
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)])
  })
})

it('conform signs as Discord with a private key, and as Twilio for a public URL', async () => {
  const discord = await senderOf(await loadScheme('discord'), PUBLIC_URL)
  const key = await temporaryFile('key.jwk.json', JSON.stringify(discord.keys.privateKey))
  const ofDiscord = await receiverOf(discord)
  const signed = await runCommand(['conform', ofDiscord.url, '--scheme', 'discord', '--key', key])
  expect(signed).toMatchObject({ code: 0, stdout: expect.stringContaining(', 0 broken\n') })
  const twilio = await senderOf(await loadScheme('twilio'), PUBLIC_URL)
  const ofTwilio = await receiverOf(twilio)
  const env = { HOOKGATE_SECRET: twilio.keys.secret }
  const args = ['conform', ofTwilio.url, '--scheme', 'twilio']
  expect(await runCommand([...args, '--public-url', PUBLIC_URL], { env })).toMatchObject({ code: 0 })
  const elsewhere = await runCommand(args, { env })
  expect(elsewhere.stdout).toMatch(/^broken {2}a delivery: 401 unauthorized, not 200\n.*for this URL/)
})

it.each([
  ['verifies a form by its bytes', 200, false],
  ['takes JSON only, and says so', 415, false],
  ['refuses a form as if it was forged', 401, true],
  ['fails at a form', 500, true],
])('conform names the form to a receiver of GitHub that %s: %s', async (_, status, isNamed) => {
  const secret = 'a secret of this test'
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    const mac = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
    const isSigned = same(`${request.headers['x-hub-signature-256']}`, mac)
    const isForm = request.headers['content-type'] !== 'application/json'
    response.writeHead(isSigned ? (isForm ? status : 200) : 401).end()
  })
  const url = urlOf((await serve(server)).address)
  const { stdout } = await runCommand(['conform', url, '--scheme', 'github'], {
    env: { HOOKGATE_SECRET: secret },
  })
  expect(stdout.includes('broken  the event in a form')).toBe(isNamed)
})
