import { expect, it } from 'vitest'
import { hookgate, SECRET, startListener } from '../../support.ts'
import { diagnose, serve } from './support.ts'

const env = { HOOKGATE_SECRET: SECRET }

/** Runs `doctor` on a healthy listener for the sender. */
async function diagnoseListenerFor(scheme: string, args: readonly string[] = []) {
  const { url } = await startListener(['--scheme', scheme], { env })
  return diagnose(['--url', url, '--event-id', crypto.randomUUID(), ...args], { env })
}

const SKIPPED = ['ok url', 'skip clock.receiver', 'skip proxy', 'skip signature']
const SIGNED = ['ok url', 'skip clock.receiver', 'ok proxy', 'ok signature']

it.each([
  ['github', [], SKIPPED],
  ['shopify', [], SKIPPED],
  ['telegram', [], SKIPPED],
  ['slack', ['--scheme', 'slack'], SIGNED],
  ['zoom', ['--scheme', 'zoom'], SIGNED],
])('a healthy listener for %s gets no complaint with %j', async (scheme, args, expected) => {
  const { code, complaints, findings } = await diagnoseListenerFor(scheme, args)
  expect(complaints).toEqual([])
  expect(code).toBe(0)
  expect(findings.slice(-4).map(({ id, status }) => `${status} ${id}`)).toEqual(expected)
})

it.each(['stripe', 'github', 'slack', 'shopify', 'telegram', 'standard-webhooks'])(
  '--scheme %s signs as the sender: the right secret passes, and no handler runs',
  async (scheme) => {
    const secret = scheme === 'standard-webhooks' ? `whsec_${btoa('k'.repeat(32))}` : SECRET
    const { url, stdout } = await startListener(['--scheme', scheme, '--json'], {
      env: { HOOKGATE_SECRET: secret },
    })
    const args = ['--url', url, '--scheme', scheme]
    const right = await diagnose(args, { env: { HOOKGATE_SECRET: secret } })
    expect(right.findings.slice(-2).map(({ id, status }) => `${status} ${id}`)).toEqual([
      'ok proxy',
      'ok signature',
    ])
    const another = scheme === 'standard-webhooks' ? `whsec_${btoa('x'.repeat(32))}` : `${SECRET}x`
    const wrong = await diagnose(args, { env: { HOOKGATE_SECRET: another } })
    expect(wrong.complaints).toEqual([expect.stringMatching(/^fail signature: the receiver does not accept/)])
    await expect.poll(() => stdout.text).toContain('body_not_json')
    expect(stdout.text).not.toContain('"accepted"')
  },
)

it.each([
  ['Supabase', 401, {}, '{"code":401,"message":"Missing authorization header"}'],
  ['Cloudflare Access', 302, { location: 'https://me.cloudflareaccess.com/login?token=x' }, ''],
  ["Cloudflare's bot protection", 403, { 'cf-mitigated': 'challenge' }, ''],
  ["Clerk's middleware", 404, { 'x-clerk-auth-status': 'signed-out' }, ''],
  ["Vercel's deployment protection", 401, { server: 'Vercel' }, ''],
])('names %s, which answers instead of the listener', async (name, status, headers, body) => {
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
  ['whsec_ and base64, as Stripe and Svix make them', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', []],
  ['a secret in quotes', '"8f742231b10e8888abcd990000085a50"', ['has quotes around it']],
  ['a placeholder', '$SLACK_SIGNING_SECRET', ['is a placeholder']],
])('--scheme judges %s', async (_, secret, complaints) => {
  const given = await diagnose(['--scheme', 'slack', '--offline'], { env: { HOOKGATE_SECRET: secret } })
  expect(given.complaints).toEqual(complaints.map((seen) => expect.stringContaining(seen)))
})

it('an unknown sender is a mistake of the command line', async () => {
  expect((await hookgate(['doctor', '--scheme', 'slak'])).stderr).toContain('did you mean slack?')
})
