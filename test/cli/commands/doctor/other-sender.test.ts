import type { RequestHandler } from 'express'
import { describe, expect, it } from 'vitest'
import { loadScheme } from '../../../../cli/signing/schemes.ts'
import { hookgate, SECRET, startListener } from '../../support.ts'
import { diagnose, endpoint, serve } from './support.ts'

const env = { HOOKGATE_SECRET: SECRET }

/** Runs `doctor` on a healthy listener for the sender. */
async function diagnoseListenerFor(scheme: string, args: readonly string[] = []) {
  const { url } = await startListener(['--scheme', scheme], { env })
  return diagnose(['--url', url, '--event-id', crypto.randomUUID(), ...args], { env })
}

const SKIPPED = ['ok url', 'skip clock.receiver', 'skip proxy', 'skip signature']
const signed = (clock: string) => ['ok url', `${clock} clock.receiver`, 'ok proxy', 'ok signature']

it.each([
  ['github', [], SKIPPED],
  ['shopify', [], SKIPPED],
  ['telegram', [], SKIPPED],
  ['github', ['--scheme', 'github'], signed('skip')],
  ['slack', ['--scheme', 'slack'], signed('ok')],
  ['zoom', ['--scheme', 'zoom'], signed('skip')],
])('a healthy listener for %s gets no complaint with %j', async (scheme, args, expected) => {
  const { code, complaints, findings } = await diagnoseListenerFor(scheme, args)
  expect(complaints).toEqual([])
  expect(code).toBe(0)
  expect(findings.slice(-4).map(({ id, status }) => `${status} ${id}`)).toEqual(expected)
})

it.each(['stripe', 'github', 'slack', 'shopify', 'telegram', 'standard-webhooks'])(
  '--scheme %s signs as the sender: the right secret passes, and no handler runs',
  async (scheme) => {
    const start = scheme === 'stripe' ? 'whsec_' : ''
    const secret = scheme === 'standard-webhooks' ? `whsec_${btoa('k'.repeat(32))}` : start + SECRET
    const { url, stdout } = await startListener(['--scheme', scheme, '--json'], {
      env: { HOOKGATE_SECRET: secret },
    })
    const args = ['--url', url, '--scheme', scheme]
    const right = await diagnose(args, { env: { HOOKGATE_SECRET: secret } })
    expect(right.findings.slice(-2).map(({ id, status }) => `${status} ${id}`)).toEqual([
      'ok proxy',
      'ok signature',
    ])
    const another = scheme === 'standard-webhooks' ? `whsec_${btoa('x'.repeat(32))}` : `${secret}x`
    const wrong = await diagnose(args, { env: { HOOKGATE_SECRET: another } })
    expect(wrong.complaints).toEqual([expect.stringMatching(/^fail signature: the receiver does not accept/)])
    await expect.poll(() => stdout.text).toContain('body_not_json')
    expect(stdout.text).not.toContain('"accepted"')
  },
)

it.each(['notion', 'asana'])(
  '--scheme %s without a secret says how to get the one that the sender brings',
  async (scheme) => {
    const { url } = await startListener(['--scheme', scheme])
    const { complaints, findings } = await diagnose(['--url', url, '--scheme', scheme])
    expect(complaints).toEqual([])
    expect(findings.find(({ id }) => id === 'signature')).toMatchObject({
      status: 'skip',
      fix: expect.stringMatching(`hookgate listen --scheme ${scheme}.*HOOKGATE_SECRET`),
    })
  },
)

describe("the clock of another sender's receiver", () => {
  const publicUrl = 'https://receiver.example/hooks'

  async function clockOf(name: string, skew: number, inFront?: RequestHandler) {
    const factory = await loadScheme(name)
    const isPrefixed = factory.scheme.algorithm !== 'code' && typeof factory.scheme.key === 'object'
    const secret = isPrefixed ? `whsec_${btoa('k'.repeat(32))}` : SECRET
    const url = name === 'twilio' || name === 'hubspot' ? { publicUrl } : {}
    const auth = factory({ secrets: secret, ...url })
    const receiver = await endpoint({ auth, skew, ...(inFront && { inFront }) })
    const args = ['--url', receiver.url, '--scheme', name, '--public-url', publicUrl]
    const { findings } = await diagnose(args, { env: { HOOKGATE_SECRET: secret } })
    expect([receiver.claims(), receiver.runs()]).toEqual([0, 0])
    expect(findings.find(({ id }) => id === 'url')?.seen).toMatch(/^hookgate answers at \S+$/)
    const of = (id: string) =>
      findings.filter((each) => each.id === id).map(({ status, seen }) => `${status} ${seen}`)
    return { clock: of('clock.receiver'), proxy: of('proxy'), signature: of('signature') }
  }

  it.each([
    ['stripe', 600],
    ['stripe', -600],
    ['slack', 600],
    ['standard-webhooks', -600],
    ['linear', 600],
    ['box', -600],
  ])('the clock of %s that is %d s ahead is found, and no handler runs', async (name, skew) => {
    const { clock, signature } = await clockOf(name, skew)
    const seen = `${Math.abs(skew)} s ${skew > 0 ? 'ahead of' : 'behind'} this one`
    const near = [0, 1].map((more) => seen.replace(/\d+/, `${Math.abs(skew) + more * Math.sign(skew)}`))
    const below = seen.replace(/\d+/, `${Math.abs(skew) - 1}`)
    expect([...near, below].map((each) => `fail the receiver's clock is ${each}`)).toContain(clock[0])
    expect(signature).toEqual([expect.stringMatching(/^ok /)])
  })

  it.each(['stripe', 'slack', 'linear', 'box', 'paddle'])(
    'the clock of %s that is right is found to be',
    async (name) => {
      expect((await clockOf(name, 0)).clock).toEqual(["ok the receiver's clock and this one agree"])
    },
  )

  it('the clock of Paddle, which allows 5 s, is found to be wrong, but not by how much', async () => {
    expect((await clockOf('paddle', 155)).clock).toEqual([
      "fail the receiver's clock is over 5 s away from this one",
    ])
  })

  it.each([
    ['github', 'GitHub signs no time that must be recent, so its deliveries cannot tell'],
    ['shopify', 'Shopify signs no time that must be recent, so its deliveries cannot tell'],
    ['twilio', 'Twilio signs no time that must be recent, so its deliveries cannot tell'],
    ['zoom', 'a delivery of Zoom with the right time would run the handler'],
  ])('the clock of %s cannot be told, and the reason is said', async (name, reason) => {
    const found = await clockOf(name, 600)
    expect(found.clock).toEqual([`skip ${reason}`])
    expect(found.signature).toEqual([expect.stringMatching(/^ok /)])
  })

  it('the clock is not asked through a proxy that drops a header or answers itself, and the proxy is named', async () => {
    const dropped = await clockOf('slack', 0, (request, _, next) => {
      request.rawHeaders = request.rawHeaders.map((each) =>
        /^x-slack-request-time/i.test(each) ? 'x-other' : each,
      )
      delete request.headers['x-slack-request-timestamp']
      next()
    })
    expect(dropped.proxy).toEqual(['fail a header of the sender does not arrive'])
    expect(dropped.clock).toEqual([expect.stringMatching(/^skip needs a signature/)])
    const blocked = await clockOf('stripe', 0, (request, response, next) =>
      request.headers['stripe-signature'] ? void response.status(403).end() : next(),
    )
    expect(blocked.proxy).toEqual(['fail something in front of hookgate answers deliveries'])
    expect(blocked.signature).toEqual([expect.stringMatching(/^skip /)])
  })

  it("the clock is not asked through SvelteKit's CSRF check, which refuses only forms, and which is named", async () => {
    const forms = await clockOf('twilio', 0, (request, response, next) =>
      request.is('urlencoded')
        ? void response.status(403).send('Cross-site POST form submissions are forbidden')
        : next(),
    )
    expect(forms.proxy).toEqual(['fail the CSRF check of SvelteKit or Astro answers deliveries'])
  })
})

it.each([
  ['Supabase', 401, {}, '{"code":401,"message":"Missing authorization header"}'],
  ['Cloudflare Access', 302, { location: 'https://me.cloudflareaccess.com/login?token=x' }, ''],
  ["Cloudflare's bot protection", 403, { 'cf-mitigated': 'challenge' }, ''],
  ["Clerk's middleware", 404, { 'x-clerk-auth-status': 'signed-out' }, ''],
  ["Vercel's deployment protection", 401, { server: 'Vercel' }, ''],
])('the doctor names %s, which answers instead of the listener', async (name, status, headers, body) => {
  const url = await serve((_, response) => void response.writeHead(status, headers).end(body))
  const { complaints } = await diagnose(['--url', url, '--scheme', 'github'], { env })
  expect(complaints).toEqual([
    expect.stringContaining(`url: ${name} answers in front of hookgate (${status})`),
  ])
})

it('a listener that cannot be told from one behind a proxy that drops headers fails, and the fix names --scheme', async () => {
  const { code, findings } = await diagnoseListenerFor('slack')
  expect(code).toBe(1)
  expect(findings.find(({ status }) => status === 'fail')).toMatchObject({
    id: 'proxy',
    fix: expect.stringContaining('--scheme NAME'),
  })
})

it.each([
  ['a secret in hexadecimal digits, as Slack makes them', '8f742231b10e8888abcd990000085a50', []],
  [
    'whsec_ and base64, as Stripe and Svix make them',
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    ['looks like one of Stripe'],
  ],
  ['a secret in quotes', '"8f742231b10e8888abcd990000085a50"', ['has quotes around it']],
  ['a placeholder', '$SLACK_SIGNING_SECRET', ['is a placeholder']],
  ['a line of a .env file', 'SLACK_SIGNING_SECRET=8f742231b10e8888', ['is from a .env file']],
  ['a .env file', 'PORT=1\nSLACK_SIGNING_SECRET=8f742231b10e8888', ['is from a .env file']],
  ['padding in capitals', 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXPJA======', []],
])('--scheme judges %s', async (_, secret, complaints) => {
  const given = await diagnose(['--scheme', 'slack', '--offline'], { env: { HOOKGATE_SECRET: secret } })
  expect(given.complaints).toEqual(complaints.map((seen) => expect.stringContaining(seen)))
})

it('an unknown sender is a mistake of the command line', async () => {
  expect((await hookgate(['doctor', '--scheme', 'slak'])).stderr).toContain('did you mean slack?')
})
