import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Hono } from 'hono'
import { type ActionFunction, createStaticHandler } from 'react-router'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { defineListener, type Verdict } from '../../../src/index.ts'
import { memoryStore } from '../../../src/stores/memory.ts'
import { signAs } from '../../../src/testing/index.ts'
import { schemeFactory } from '../../support/schemes.ts'

const SECRET = `whsec_${Buffer.alloc(24, 'k').toString('base64')}`
const ORIGIN = 'http://localhost'
const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

/** A sender whose endpoint moves to hookgate. */
interface Move {
  readonly scheme: string
  readonly variable: string
  /** The body of an event with this ID. */
  readonly body: (id: string) => object | string
  readonly eventType?: string
  readonly publicUrl?: string
  /** Headers that the sender adds and hookgate does not read. */
  readonly headers?: { readonly [name: string]: string }
  /** The programs in the folder of the page, by the heading of their column. */
  readonly programs: { readonly [heading: string]: string }
}

const push = (id: string) => ({ ref: 'refs/heads/main', after: id })

const MOVES: { readonly [page: string]: Move } = {
  stripe: {
    scheme: 'stripe',
    variable: 'STRIPE_WEBHOOK_SECRET',
    body: (id) => ({ id, object: 'event', type: 'invoice.paid', data: { object: {} } }),
    programs: { '`constructEvent`': 'before', hookgate: 'after' },
  },
  octokit: {
    scheme: 'github',
    variable: 'GITHUB_WEBHOOK_SECRET',
    body: push,
    eventType: 'push',
    programs: { '`createNodeMiddleware`': 'before', '`verify`': 'verify', hookgate: 'after' },
  },
  'standard-webhooks': {
    scheme: 'standard-webhooks',
    variable: 'WEBHOOK_SECRET',
    body: (id) => ({ type: 'order.paid', data: { id } }),
    programs: { '`Webhook.verify`': 'before', hookgate: 'after' },
  },
  clerk: {
    scheme: 'clerk',
    variable: 'CLERK_WEBHOOK_SIGNING_SECRET',
    body: (id) => ({ type: 'user.deleted', object: 'event', data: { id, object: 'user', deleted: true } }),
    programs: { '`verifyWebhook` of Clerk': 'before', hookgate: 'after' },
  },
  bolt: {
    scheme: 'slack',
    variable: 'SLACK_SIGNING_SECRET',
    body: (id) => ({ type: 'event_callback', event_id: id, event: { type: 'app_mention', channel: 'C1' } }),
    programs: { Bolt: 'before', hookgate: 'after' },
  },
  twilio: {
    scheme: 'twilio',
    variable: 'TWILIO_AUTH_TOKEN',
    body: (id) => `MessageSid=${id}&From=%2B15005550006&Body=Hello`,
    publicUrl: 'https://example.com/webhooks/sms',
    programs: { '`twilio.webhook()`': 'before', hookgate: 'after' },
  },
  shopify: {
    scheme: 'shopify',
    variable: 'SHOPIFY_API_SECRET',
    body: (id) => ({ id: 820982911946154500, name: id }),
    eventType: 'orders/create',
    headers: {
      'x-shopify-api-version': '2026-01',
      'x-shopify-shop-domain': 'example.myshopify.com',
      'x-shopify-webhook-id': 'b54557e4-bdd9-4b37-8a5f-bf7d70bcd043',
    },
    programs: { '`authenticate.webhook`': 'before', hookgate: 'after' },
  },
  'own-hmac': {
    scheme: 'github',
    variable: 'GITHUB_WEBHOOK_SECRET',
    body: push,
    eventType: 'push',
    programs: { 'your HMAC': 'before', hookgate: 'after' },
  },
}

type Send = (path: string, request: RequestInit) => Promise<Response>

interface Program {
  readonly app?: RequestListener | Hono
  readonly POST?: (request: Request) => Promise<Response>
  readonly action?: ActionFunction
}

/** Starts a program as its framework does. */
async function started(file: string): Promise<Send> {
  vi.resetModules()
  const { app, POST, action }: Program = await import(file)
  if (POST) return (path, request) => POST(new Request(ORIGIN + path, request)).catch(failed) // as Next.js does
  if (action) return (path, request) => answered(action, new Request(ORIGIN + path, request))
  if (typeof app === 'object') return async (path, request) => app.request(path, request)
  const server = createServer(app)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return (path, request) => fetch(`http://127.0.0.1:${port}${path}`, request)
}

const failed = () => new Response(null, { status: 500 })

/** React Router answers what an action throws: a Response as it is, an error with 500. */
async function answered(action: ActionFunction, request: Request): Promise<Response> {
  const { queryRoute } = createStaticHandler([{ path: '*', action }])
  try {
    return await queryRoute(request)
  } catch (thrown) {
    return thrown instanceof Response ? thrown : failed()
  }
}

/** Adds a member, or the field of a form. */
const longer = (body: object | string, padding: string) =>
  typeof body === 'string' ? `${body}&padding=${padding}` : { ...body, padding }

async function signed(move: Move, timestamp?: number, padding = '') {
  const { scheme, eventType, publicUrl, headers } = move
  const body = longer(move.body(`id_${crypto.randomUUID()}`), padding)
  const options = { secret: SECRET, body, eventType, publicUrl, timestamp }
  const request = await signAs(await schemeFactory(scheme), options)
  return { body: request.body, headers: { ...request.headers, ...headers } }
}

interface Delivery {
  readonly what: string
  readonly request: Awaited<ReturnType<typeof signed>>
  readonly failing?: boolean
}

/** What a sender may send, in this order. */
async function deliveriesOf(move: Move): Promise<readonly Delivery[]> {
  const [first, second] = [await signed(move), await signed(move)]
  const { scheme } = await schemeFactory(move.scheme)
  const unsigned = Object.entries(second.headers).filter(([name]) => !scheme.signature.headers.includes(name))
  const old = await signed(move, Math.floor(Date.now() / 1000) - 600)
  return [
    { what: 'signed', request: first },
    { what: 'the same again', request: first },
    { what: 'signed, 200 KB long', request: await signed(move, undefined, 'x'.repeat(200_000)) },
    { what: 'one byte changed', request: { ...second, body: second.body.replace('id_', 'ix_') } },
    { what: 'not signed', request: { ...second, headers: Object.fromEntries(unsigned) } },
    ...(scheme.timestamp === undefined ? [] : [{ what: 'signed 10 minutes ago', request: old }]),
    { what: 'signed, and your handler throws', request: second, failing: true },
    { what: 'the same again', request: second },
  ]
}

/** What a program answers to each delivery, and whether its handler runs. */
async function answersOf(program: string, variable: string, deliveries: readonly Delivery[]) {
  const log = vi.spyOn(console, 'log').mockReset()
  for (const method of ['debug', 'error', 'info', 'warn'] as const)
    vi.spyOn(console, method).mockImplementation(() => {})
  vi.stubEnv(variable, SECRET)
  vi.stubEnv('STRIPE_SECRET_KEY', 'sk_test_made_up')
  vi.stubEnv('SLACK_BOT_TOKEN', 'xoxb-made-up')
  vi.stubEnv('SHOPIFY_API_KEY', 'made-up')
  onTestFinished(() => {
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
  })
  const send = await started(program)
  const path = /\/webhooks\/[a-z]+/.exec(readFileSync(program, 'utf8'))?.[0] ?? '/slack/events'
  const answers: string[] = []
  for (const { request, failing } of deliveries) {
    log.mockClear()
    if (failing) {
      log.mockImplementationOnce(() => {
        throw new Error('the handler fails')
      })
    }
    let status: number | undefined
    // 503 until the delivery before it has settled.
    await expect
      .poll(async () => {
        status = (await send(path, { method: 'POST', ...request })).status
        return status
      })
      .not.toBe(503)
    answers.push(log.mock.calls.length > 0 ? `${status}, runs` : `${status}`)
  }
  return answers
}

const fileOf = (page: string, program: string) =>
  fileURLToPath(new URL(`migrate/${page}/${program}.ts`, import.meta.url))

/** What hookgate says beside the old check, but for what it accepts. Nothing is a duplicate there. */
const REASONS: { readonly [what: string]: string } = {
  'one byte changed': 'signature_mismatch',
  'not signed': 'auth_missing',
  'signed 10 minutes ago': 'timestamp_out_of_range',
}

/** The programs with `observeWebhook` beside the old check, each with the one that it is made of. */
function besideOf(page: string): (readonly [beside: string, before: string])[] {
  if (page !== 'octokit') return [['beside', 'before']]
  return [
    ['beside', 'verify'],
    ['beside-middleware', 'before'],
  ]
}

describe.each(Object.entries(MOVES))('docs/migrate/%s.md', (page, move) => {
  const text = read(`../../../docs/migrate/${page}.md`)
  const programs = Object.entries(move.programs)

  it('the page shows what each program answers to the same deliveries', async () => {
    const deliveries = await deliveriesOf(move)
    const columns = [['delivery', '---', ...deliveries.map(({ what }) => what)]]
    for (const [heading, program] of programs) {
      const answers = await answersOf(fileOf(page, program), move.variable, deliveries)
      columns.push([heading, '---', ...answers])
    }
    const rows = columns[0]?.map((_, at) => `| ${columns.map((column) => column[at]).join(' | ')} |`)
    expect(text).toContain(rows?.join('\n').replaceAll(' --- ', '---'))
  })

  it.each(besideOf(page))(
    '%s.ts, with the line of the page, answers as before, and hookgate judges alike',
    async (beside, before) => {
      const lines = read(`migrate/${page}/${beside}.ts`).split('\n')
      const line = lines.find((each) => each.includes('observeWebhook('))?.trim()
      expect(text.includes(line ?? '?')).toBe(true)
      const deliveries = await deliveriesOf(move)
      const answers = await answersOf(fileOf(page, before), move.variable, deliveries)
      const judged: string[] = []
      const { scheme, publicUrl } = move
      const auth = (await schemeFactory(scheme))({ secrets: SECRET, publicUrl })
      const onVerdict = ({ reason }: Verdict) => void judged.push(reason ?? 'accepted')
      const store = memoryStore()
      vi.stubGlobal('listener', defineListener({ id: page, auth, store, onVerdict, maxBodyBytes: 1_000_000 }))
      onTestFinished(() => void vi.unstubAllGlobals())
      expect(await answersOf(fileOf(page, beside), move.variable, deliveries)).toEqual(answers)
      const reached = deliveries.filter((_, at) => !answers[at]?.startsWith('413'))
      const expected = reached.map(({ what }) => REASONS[what] ?? 'accepted')
      await expect.poll(() => judged).toEqual(expected)
    },
  )

  it.each(programs)('the page shows the program for %s to the letter', (_, program) => {
    expect(text).toContain(`\n${read(`migrate/${page}/${program}.ts`)}\`\`\``)
  })
})

it('docs/migrate/standard-webhooks.md holds for svix too', async () => {
  const { 'standard-webhooks': move } = MOVES
  if (move === undefined) throw new Error('no such page')
  const program = fileOf('standard-webhooks', 'before')
  const deliveries = await deliveriesOf(move)
  const ours = await answersOf(program, move.variable, deliveries)
  const { Webhook } = await import('svix')
  vi.doMock('standardwebhooks', () => ({ Webhook }))
  onTestFinished(() => void vi.doUnmock('standardwebhooks'))
  const verify = vi.spyOn(Webhook.prototype, 'verify')
  expect(await answersOf(program, move.variable, deliveries)).toEqual(ours)
  expect(verify).toHaveBeenCalledTimes(deliveries.length)
})

it.each(['before', 'after'])(
  'Bolt answers a command in bolt/%s.ts, and a new endpoint its challenge',
  async (program) => {
    vi.stubEnv('SLACK_SIGNING_SECRET', SECRET)
    onTestFinished(() => void vi.unstubAllEnvs())
    const send = await started(fileOf('bolt', program))
    const post = async (path: string, body: object | string, contentType: string) => {
      const { headers, body: text } = await signAs(await schemeFactory('slack'), {
        secret: SECRET,
        body,
        contentType,
      })
      return (await send(path, { method: 'POST', headers: { ...headers }, body: text })).text()
    }
    const command = 'command=%2Fdeploy&text=api&team_id=T1&channel_id=C1&user_id=U1'
    expect(await post('/slack/events', command, 'application/x-www-form-urlencoded')).toBe('deploying api')
    const path = program === 'after' ? '/webhooks/slack' : '/slack/events'
    const challenge = await post(path, { type: 'url_verification', challenge: 'c1' }, 'application/json')
    expect(challenge).toMatch(/^(?:c1|\{"challenge":"c1"\})$/)
  },
)

it('every page that moves from a package is run here', () => {
  const folder = '../../../docs/migrate/'
  const moves = readdirSync(new URL(folder, import.meta.url)).filter((name) =>
    read(folder + name).startsWith('# From '),
  )
  expect(moves.map((name) => name.replace('.md', '')).toSorted()).toEqual(Object.keys(MOVES).toSorted())
})
