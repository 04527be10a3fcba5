import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { verify } from '../../../src/index.ts'
import { clerk } from '../../../src/schemes/clerk.ts'
import { github } from '../../../src/schemes/github.ts'
import { linear } from '../../../src/schemes/linear.ts'
import { paddle } from '../../../src/schemes/paddle.ts'
import { resend } from '../../../src/schemes/resend.ts'
import { slack } from '../../../src/schemes/slack.ts'
import { stripe } from '../../../src/schemes/stripe.ts'
import { type SignAsOptions, signAs, toDelivery } from '../../../src/testing/index.ts'
import * as bodies from './sent-bodies.ts'
import * as typed from './typed-events.ts'

const { secret } = typed

async function sent(scheme: Parameters<typeof signAs>[0], options: Omit<SignAsOptions, 'secret'>) {
  return toDelivery(await signAs(scheme, { secret, ...options }))
}

/** What the handler of a verified event has read from it. */
function told<Event>(
  verdict: { readonly ok: boolean; readonly event?: Event },
  read: (event: Event) => string | undefined,
): string | undefined {
  if (verdict.event === undefined) throw new Error('the delivery was refused')
  return read(verdict.event)
}

describe('a body that has the sender’s type is read by its type', () => {
  it('Stripe', async () => {
    const toldBy = async (body: object) =>
      told(await verify(await sent(stripe, { body }), typed.stripes), typed.toldByStripe)
    expect(await toldBy(bodies.stripeBody)).toBe('month')
    expect(await toldBy({ ...bodies.stripeProductBody, id: 'evt_2' })).toBe('T-shirt')
  })

  it('GitHub', async () => {
    const delivery = await sent(github, { body: bodies.githubBody, eventType: 'github_app_authorization' })
    expect(told(await verify(delivery, typed.githubs), typed.toldByGithub)).toBe('octocat')
  })

  it('Slack', async () => {
    const delivery = await sent(slack, { body: bodies.slackBody })
    const text = '<@U0LAN0Z89> is it everything a river should be?'
    expect(told(await verify(delivery, typed.slacks), typed.toldBySlack)).toBe(text)
  })

  it('Slack’s commands, interactions and notices', async () => {
    const contentType = 'application/x-www-form-urlencoded'
    const toldBy = async (body: object) =>
      told(await verify(await sent(slack, { body, contentType }), typed.slackForms), typed.toldBySlackForm)
    expect(await toldBy({ command: '/weather', text: '94070' })).toBe('/weather')
    expect(await toldBy({ payload: { type: 'block_actions', actions: [{ action_id: 'WaXA' }] } })).toBe(
      'WaXA',
    )
    const limited = { type: 'app_rate_limited', minute_rate_limited: 1518467820 }
    for (const [body, text] of [
      [bodies.slackBody, 'app_mention'],
      [limited, 'app_rate_limited'],
    ] as const) {
      const verdict = await verify(await sent(slack, { body }), typed.slackForms)
      expect(told(verdict, typed.toldBySlackForm)).toBe(text)
    }
  })

  it('GitHub, whose form holds the same', async () => {
    const contentType = 'application/x-www-form-urlencoded'
    const eventType = 'github_app_authorization'
    const delivery = await sent(github, { body: bodies.githubBody, eventType, contentType })
    expect(told(await verify(delivery, typed.githubs), typed.toldByGithub)).toBe('octocat')
  })

  it('Clerk', async () => {
    const delivery = await sent(clerk, { body: bodies.clerkBody })
    const id = 'user_29wBMCtzATuFJut8jO2VNTVekS4'
    expect(told(await verify(delivery, typed.clerks), typed.toldByClerk)).toBe(id)
  })

  it('Linear', async () => {
    const delivery = await sent(linear, { body: { ...bodies.linearBody, webhookTimestamp: Date.now() } })
    expect(told(await verify(delivery, typed.linears), typed.toldByLinear)).toMatch(/^Indeed, /)
  })

  it('Paddle', async () => {
    const delivery = await sent(paddle, { body: bodies.paddleBody })
    expect(told(await verify(delivery, typed.paddles), typed.toldByPaddle)).toBe('sam@example.com')
  })

  it('Resend', async () => {
    const delivery = await sent(resend, { body: bodies.resendBody })
    expect(told(await verify(delivery, typed.resends), typed.toldByResend)).toBe('Permanent')
  })
})

it('examples/typed/app.ts answers each by its type', async () => {
  for (const name of ['STRIPE_WEBHOOK_SECRET', 'GITHUB_WEBHOOK_SECRET', 'SLACK_SIGNING_SECRET'])
    vi.stubEnv(name, secret)
  onTestFinished(() => void vi.unstubAllEnvs())
  const { default: app } = await import('../../../examples/typed/app.ts')
  const answer = async (path: string, request: Awaited<ReturnType<typeof signAs>>) =>
    (await app.request(`/webhooks/${path}`, request)).text()
  const { stripeProductBody, githubBody, slackBody } = bodies
  const eventType = 'github_app_authorization'
  expect(await answer('stripe', await signAs(stripe, { secret, body: stripeProductBody }))).toBe(
    'product.created: T-shirt',
  )
  expect(await answer('github', await signAs(github, { secret, body: githubBody, eventType }))).toBe(
    'revoked: octocat',
  )
  expect(await answer('slack', await signAs(slack, { secret, body: slackBody }))).toBe(
    'mentioned in C123ABC456',
  )
})

const root = fileURLToPath(new URL('../../..', import.meta.url))
const COMPILERS = {
  5.7: join(root, 'test/suites/peers/node_modules/typescript-5.7/bin/tsc'),
  '7.0': join(root, 'node_modules/typescript/bin/tsc'),
}

/** Compiles both programs as a user's, against the built declarations, and checks those. The output of the compiler. */
async function compiled(tsc: string): Promise<string> {
  const folder = mkdtempSync(join(root, 'test/suites/peers/node_modules/.typed-'))
  try {
    for (const name of ['sent-bodies.ts', 'typed-events.ts']) {
      const source = readFileSync(new URL(name, import.meta.url), 'utf8')
      const dist = join(root, 'dist')
      writeFileSync(join(folder, name), source.replaceAll(/'(?:\.\.\/){3}(.*)\.ts'/g, `'${dist}/$1.js'`))
    }
    const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true }
    const modules = { module: 'preserve', moduleResolution: 'bundler', allowImportingTsExtensions: true }
    const files = { target: 'es2023', noEmit: true, types: ['node'], skipLibCheck: false }
    const compilerOptions = { ...strict, ...modules, ...files }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
    return await new Promise((resolve) => {
      execFile(process.execPath, [tsc, '-p', '.'], { cwd: folder }, (_, stdout, stderr) =>
        resolve(stdout + stderr),
      )
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

it.each(Object.entries(COMPILERS))(
  'the events compile with TypeScript %s, strict, and without skipLibCheck the only errors are those of the senders’ packages',
  async (_, tsc) => {
    const lines = (await compiled(tsc)).split('\n').filter((line) => /^\S/.test(line))
    // From the folder, the senders' packages are one step up, and those of the repository are in its node_modules.
    expect(
      lines.filter((line) => !/^(?:\.\.\/(?!\.\.)|(?:\.\.\/)+node_modules\/).*error TS/.test(line)),
    ).toEqual([])
  },
  300_000, // a minute, on a busy machine
)
