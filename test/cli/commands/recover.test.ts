import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { webhookHandler } from '../../../adapters/web.ts'
import { defineListener } from '../../../src/index.ts'
import { stripe } from '../../../src/schemes/stripe.ts'
import { memoryStore } from '../../../src/stores/memory.ts'
import { FakeGithub, GITHUB_TOKEN, GITHUB_URL } from '../../management/fake-github.ts'
import { FakeSender, TOKEN, URL_HERE } from '../../management/fake-sender.ts'
import { FakeStripe, LIVE_KEY, STRIPE_SECRET, STRIPE_URL, TEST_KEY } from '../../management/fake-stripe.ts'
import { SENDERS } from '../../management/senders.ts'
import { runCommand } from '../shared-process.ts'
import { temporaryFile } from '../support.ts'

const PADDLE = SENDERS.Paddle as (typeof SENDERS)[string] // there is one
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)
const secrets = [LIVE_KEY, TEST_KEY, STRIPE_SECRET, GITHUB_TOKEN]

/** What the command prints and sends, which never has a token or a secret in it. */
async function run(origins: object, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const ended = await runCommand(args, { env: { TEST_APIS: JSON.stringify(origins), ...env } })
  for (const secret of secrets) expect(JSON.stringify(ended)).not.toContain(secret)
  return ended
}

async function stripeAccount() {
  const sender = await FakeStripe.start()
  onTestFinished(() => sender.server.close())
  const options = ['--scheme', 'stripe', '--url', STRIPE_URL]
  const recover = (given: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    run({ 'https://api.stripe.com': sender.server.origin }, ['recover', ...options, ...given], {
      HOOKGATE_API_TOKEN: LIVE_KEY,
      HOOKGATE_SECRET: STRIPE_SECRET,
      ...env,
    })
  return { sender, recover }
}

/** An endpoint on loopback, which answers as it is told, or verifies and runs. */
async function endpoint(answer?: (count: number) => number) {
  const ran: string[] = []
  const auth = stripe({ secrets: STRIPE_SECRET })
  const listener = defineListener({ id: 'recovered', auth, store: memoryStore(), onVerdict: null })
  const handle = webhookHandler(listener, ({ id }) => void ran.push(id))
  let count = 0
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    const headers = Object.entries(request.headers).map(
      ([name, value]) => [name, `${value}`] as [string, string],
    )
    count += 1
    const status =
      answer?.(count) ?? (await handle(new Request(STRIPE_URL, { method: 'POST', headers, body }))).status
    response.writeHead(status, { location: 'https://other.example/' }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const to = `http://127.0.0.1:${(server.address() as AddressInfo).port}/` // it listens on a port
  return { ran, to, count: () => count }
}

describe('hookgate recover', () => {
  it('counts by type, sends nothing but reads, and prints the command that sends', async () => {
    const { sender, recover } = await stripeAccount()
    sender.create('invoice.paid', hoursAgo(1))
    sender.create('invoice.paid', hoursAgo(0.5))
    sender.create('customer.created', hoursAgo(3))
    const { code, stdout, stderr } = await recover(['--since', '2h'])
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'found 2 events\n     2  invoice.paid\n',
    })
    const [, command] = /To send them:\n {2}(.*)\n$/.exec(stderr) ?? []
    expect(command).toMatch(/ recover --scheme stripe --url \S+ --since \d{4}-\S+:\d\d\.000Z --run$/)
    expect(sender.server.requests.filter((each) => !each.startsWith('GET '))).toEqual([])
  })

  it('signs what Stripe never delivers again, oldest first, and what ran is a duplicate', async () => {
    const { sender, recover } = await stripeAccount()
    const { ran, to, count } = await endpoint()
    for (const hours of [1, 5, 3, 2, 4]) sender.create('invoice.paid', hoursAgo(hours))
    const args = ['--since', '1d', '--run', '--json', '--at-once', '1', '--to', to]
    for (const times of [1, 2]) {
      const { code, stdout, stderr } = await recover(args)
      expect({ code, ...JSON.parse(stdout) }).toMatchObject({
        ...{ code: 0, found: 5, types: { 'invoice.paid': 5 }, sent: 5, asked: 0, waiting: 0, failed: [] },
        ...{ until: null, warnings: [], since: expect.stringMatching(/\.000Z$/) },
      })
      expect(stderr).toContain(JSON.parse(stdout).resume)
      expect(count()).toBe(5 * times)
    }
    expect(ran).toEqual(['evt_2', 'evt_5', 'evt_3', 'evt_4', 'evt_1'])
  })

  it.each([
    [[], 4],
    [['--at-once', '2'], 2],
  ])('posts the first event alone, and then %j a few at once', async (given, most) => {
    const { sender, recover } = await stripeAccount()
    const waiting: (() => void)[] = []
    const posted: number[] = []
    const server = createServer((request, response) => {
      request.resume()
      waiting.push(() => response.end())
      posted.push(waiting.length)
      if (posted.length === 1 || waiting.length === most) for (const answer of waiting.splice(0)) answer()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const to = `http://127.0.0.1:${(server.address() as AddressInfo).port}/` // it listens on a port
    for (let number = 0; number < 9; number += 1) sender.create('invoice.paid', hoursAgo(1))
    const { code } = await recover(['--since', '1d', '--run', '--to', to, ...given])
    expect([code, Math.max(...posted), posted.length]).toEqual([0, most, 9])
  })

  it('says what GitHub needs if it is not told which webhook', async () => {
    const args = ['recover', '--scheme', 'github', '--url', GITHUB_URL, '--since', '3h']
    const { code, stderr } = await run({}, args)
    expect(code).toBe(2)
    expect(stderr).toContain(
      'for the webhook of a repository or an organisation, its name: owner=… and repo=…',
    )
  })

  it('asks GitHub, which delivers again by itself', async () => {
    const sender = await FakeGithub.start()
    onTestFinished(() => sender.server.close())
    await sender.deliver(sender.sign('push', 1), hoursAgo(1), undefined)
    const where = ['--of', 'owner=octocat', '--of', 'repo=hello-world', '--url', GITHUB_URL, '--since', '3h']
    const file = await temporaryFile('token', `${GITHUB_TOKEN}\n`)
    const given = ['recover', '--scheme', 'github', ...where, '--token-file', file, '--run']
    const { code, stdout } = await run({ 'https://api.github.com': sender.server.origin }, given)
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'found 1 event\n     1  push\nasked 1\n',
    })
    expect(sender.attempts).toHaveLength(2)
  })

  it.each<[string, (count: number) => number, string, number]>([
    ['500, once', (count) => (count === 1 ? 500 : 200), 'sent 2, failed 1', 3],
    ['503, as it is at work on it', () => 503, 'waiting 3', 3],
    ['409, which a handler of Stripe gives, and no duplicate', () => 409, 'failed 3', 3],
    ['401, as all others would be', () => 401, 'waiting 2, failed 1', 1],
    ['404, as all others would be', () => 404, 'waiting 2, failed 1', 1],
    ['a redirect, which is not followed', () => 307, 'waiting 2, failed 1', 1],
  ])('tells what became of events that the endpoint answers with %s', async (_, answer, told, requests) => {
    const { sender, recover } = await stripeAccount()
    const { to, count } = await endpoint(answer)
    for (const hours of [3, 2, 1]) sender.create('invoice.paid', hoursAgo(hours))
    const { code, stdout } = await recover(['--since', '1d', '--run', '--to', to])
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(told)
    expect(code).toBe(1)
    expect(count()).toBe(requests)
  })

  it('names an event that cannot be signed, and sends the others', async () => {
    const { sender, recover } = await stripeAccount()
    const { ran, to } = await endpoint()
    for (const id of ['evt_1', 'evt_\u0100', 'evt_3']) sender.create('invoice.paid', hoursAgo(1), { id })
    const { code, stdout, stderr } = await recover(['--since', '1d', '--run', '--to', to])
    expect({ code, told: stdout.trimEnd().split('\n').at(-1) }).toEqual({ code: 1, told: 'sent 2, failed 1' })
    expect(stderr).toContain('failed: evt_\u0100 invoice.paid: ')
    expect(ran).toHaveLength(2)
  })

  it('a time at the edge of what is remembered stays good for the command that goes on', async () => {
    const { recover } = await stripeAccount()
    const { stderr } = await recover(['--since', '7d', '--until', '1h'])
    const [, since = '', until = ''] = /--since (\S+) .*--until (\S+)|$/.exec(stderr) ?? []
    expect((await recover(['--since', since, '--until', until])).code).toBe(0)
  })

  it('names an endpoint that is away, and leaves the rest', async () => {
    const { sender, recover } = await stripeAccount()
    for (const hours of [2, 1]) sender.create('invoice.paid', hoursAgo(hours))
    const { code, stdout, stderr } = await recover(['--since', '1d', '--run', '--to', 'http://127.0.0.1:1/'])
    expect({ code, told: stdout.split('\n')[2] }).toEqual({ code: 1, told: 'waiting 1, failed 1' })
    expect(stderr).toContain('failed: evt_1 invoice.paid: nothing listens on 127.0.0.1:1')
  })

  it.each([
    ['at another URL', ['--url', 'https://other.example/'], {}, 'has no endpoint at this URL'],
    ['of a test key', [], { HOOKGATE_API_TOKEN: TEST_KEY }, 'has no endpoint at this URL'],
    ['of the other mode', ['--mode', 'test'], {}, 'is of the live mode'],
    [
      'that the sender refuses',
      [],
      { HOOKGATE_API_TOKEN: 'rk_live_revoked' },
      'Stripe refuses the token (401)',
    ],
  ])('sends nothing for an account %s', async (_, given, env, said) => {
    const { sender, recover } = await stripeAccount()
    const { to, count } = await endpoint()
    sender.create('invoice.paid', hoursAgo(1))
    const { code, stdout, stderr } = await recover(['--since', '1d', '--run', '--to', to, ...given], env)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(said)
    expect(count()).toBe(0)
    expect(sender.server.requests.some((each) => each.includes('/v1/events'))).toBe(false)
  })

  it.each<[readonly string[], string]>([
    [[], 'needs --since TIME'],
    [
      ['--since', '2026-11-28T16:00'],
      '--since takes a time with its zone (2026-11-28T16:00Z), or how long ago',
    ],
    [['--since', '2026-02-30'], '--since takes a time'],
    [['--since', '0h'], '--since takes a time'],
    [['--since', '8d'], 'the listener remembers no further back, so what ran would run again'],
    [['--since', '31d', '--remembers', '60d'], 'Stripe keeps events for 30 days'],
    [['--since', '2099-01-01'], '--since: is in the future'],
    [['--since', '1h', '--until', '2h'], 'is before since'],
    [['--since', '1h', '--mode', 'sandbox'], '--mode takes live or test'],
    [
      ['--since', '1h', '--mode', 'test', '--scheme', 'paddle'],
      '--mode: is not for Paddle, whose API has one mode only',
    ],
    [['--since', '1h', '--of', 'owner=octocat'], '--of: --scheme stripe takes none'],
    [['--since', '1h', '--scheme', 'strip'], '--scheme: no such API; did you mean stripe?'],
    [['--since', '1h', '--scheme', 'github', '--of', 'owner'], '--of takes NAME=VALUE'],
    [['--since', '1h', '--scheme', 'github', '--of', 'baseUrl=http://ghe.example'], 'must be an https URL'],
    [['--since', '1h', '--scheme', 'paddle', '--of', 'sandbox=maybe'], 'sandbox'],
    [['--since', '99d', '--remembers', '99d', '--scheme', 'paddle', '--of', 'sandbox=true'], 'Paddle keeps'],
    [
      ['--since', '1h', '--scheme', 'github', '--run', '--to', 'http://a.example'],
      '--to is not for --scheme github',
    ],
    [['--since', '1h', '--run', '--to', 'http://u:p@a.example'], '--to must not contain credentials'],
    [['--since', '1h', '--run', '--at-once', '0'], '--at-once'],
    [['--since', '1h', '--token', LIVE_KEY], 'unknown option --token; did you mean --token-file?'],
  ])('%j is a mistake, before anything is asked', async (given, said) => {
    const { sender, recover } = await stripeAccount()
    const { code, stdout, stderr } = await recover(given)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(said)
    expect(sender.server.requests).toEqual([])
  })

  it.each([
    ['adyen', 'send them again from the webhook’s log in its Customer Area'],
    ['checkout-com', 'resend them from the webhook’s failures in its Dashboard'],
    ['docusign', 'republish them from its Connect log'],
    ['google-channels', 'list what has changed since then'],
    ['graph', 'by a delta query'],
    ['hubspot', 'read the objects that matter'],
    ['jira', 'search the issues that were updated since then'],
    ['linear', 'read the issues that were updated since then'],
    ['meta', 'read the objects that matter'],
    ['sendgrid', 'from its Email Activity API'],
    ['shopify', 'read the resources that were updated since then'],
    ['twilio', 'read the calls and messages since then'],
  ])('refuses %s by name, without a token, and says what to do instead', async (scheme, instead) => {
    const args = ['recover', '--scheme', scheme, '--url', STRIPE_URL, '--since', '1h', '--run']
    const { code, stdout, stderr } = await run({}, args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(
      `--scheme ${scheme}: its events cannot be recovered, because no API of it lists them`,
    )
    expect(stderr).toContain(instead)
  })

  it('takes the edge of what is remembered', async () => {
    const { recover } = await stripeAccount()
    expect((await recover(['--since', '7d'])).code).toBe(0)
  })
})

describe('hookgate doctor --api', () => {
  async function doctor(seed: (sender: FakeStripe) => unknown, given: readonly string[], token = LIVE_KEY) {
    const sender = await FakeStripe.start()
    onTestFinished(() => sender.server.close())
    seed(sender)
    const args = ['doctor', '--api', '--scheme', 'stripe', '--url', STRIPE_URL, '--json', ...given]
    const apis = { 'https://api.stripe.com': sender.server.origin }
    const { code, stdout, stderr } = await run(apis, args, { HOOKGATE_API_TOKEN: token })
    if (stdout === '') return { code, found: stderr }
    return {
      code,
      found: JSON.parse(stdout).findings.map(
        ({ id, status }: { id: string; status: string }) => `${status} ${id}`,
      ),
    }
  }

  it.each<[string, (sender: FakeStripe) => unknown, readonly string[], number, readonly string[]]>([
    ['all is well', () => {}, ['--types', 'invoice.*, customer.created,*'], 0, ['ok api']],
    [
      'the endpoint is disabled',
      (sender) => {
        sender.endpoints = sender.endpoints.map((each) => ({ ...each, status: 'disabled' }))
      },
      [],
      1,
      ['fail api.disabled'],
    ],
    [
      'a type that is handled is not sent',
      () => {},
      ['--types', 'charge.refunded,invoice.*,customer.*'],
      1,
      ['fail api.unsubscribed'],
    ],
    [
      'only a type that is sent is not handled',
      () => {},
      ['--types', 'invoice.paid'],
      0,
      ['warn api.unhandled'],
    ],
    ['the API version is another', () => {}, ['--api-version', '2020-08-27'], 1, ['fail api.version']],
  ])('exits as an alarm should if %s', async (_, seed, given, code, found) => {
    expect(await doctor(seed, given)).toEqual({ code, found })
  })

  it.each([
    ['that of the sender', [], {}, 0, 'ok api'],
    ['another one', [], { HOOKGATE_SECRET: 'pdl_ntfset_of_yesterday' }, 1, 'fail api.secret'],
    ['not given', [], { HOOKGATE_SECRET: '' }, 0, 'ok api'],
    ['one of two files', ['pdl_ntfset_of_yesterday', `${PADDLE.secret}\n`], {}, 0, 'ok api'],
    ['in none of two files', ['pdl_ntfset_of_yesterday', 'x'], {}, 1, 'fail api.secret'],
  ])('compares the secret with what Paddle shows: it is %s', async (_, files, env, code, found) => {
    const sender = await FakeSender.start(PADDLE)
    onTestFinished(() => sender.server.close())
    const named = await Promise.all(files.map((text) => temporaryFile('secret', text)))
    const args = ['doctor', '--api', '--scheme', 'paddle', '--url', URL_HERE, '--json']
    const ended = await run(
      { 'https://api.paddle.com': sender.server.origin },
      [...args, ...named.flatMap((file) => ['--secret-file', file])],
      { HOOKGATE_API_TOKEN: TOKEN, HOOKGATE_SECRET: PADDLE.secret, ...env },
    )
    expect(ended.stdout + ended.stderr).not.toContain('pdl_ntfset_')
    const findings: { id: string; status: string }[] = JSON.parse(ended.stdout).findings
    expect([ended.code, ...findings.map(({ id, status }) => `${status} ${id}`)]).toEqual([code, found])
  })

  it('rings if the token is refused', async () => {
    expect(await doctor(() => {}, [], 'rk_live_revoked')).toEqual({ code: 1, found: ['fail api'] })
  })

  it.each([
    [['--secret-file', 'x'], '--secret-file is not for --api --scheme stripe: its API shows no secret'],
    [['--store', 'sqlite:x'], '--store is not for --api'],
    [['--mode', 'sandbox'], '--mode takes live or test'],
  ])('%j is a mistake', async (given, said) => {
    const { code, found } = await doctor(() => {}, given)
    expect(code).toBe(2)
    expect(found).toContain(said)
  })

  it.each(['checkout-com', 'docusign', 'hubspot', 'meta', 'twilio'])(
    'says what to compare in the console of %s, whose API is not asked',
    async (scheme) => {
      const { code, stderr } = await run({}, ['doctor', '--api', '--scheme', scheme, '--url', STRIPE_URL])
      expect(code).toBe(2)
      expect(stderr).toContain(`--scheme ${scheme}: its API is not asked: compare the endpoint's URL`)
    },
  )

  it('its options are mistakes without it', async () => {
    const { code, stderr } = await runCommand(['doctor', '--url', STRIPE_URL, '--types', 'a'])
    expect(code).toBe(2)
    expect(stderr).toContain('--types needs --api')
  })
})
