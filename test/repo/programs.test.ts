import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { signAs } from '../../src/testing/index.ts'
import { answerOf } from '../support/answer-of.ts'
import { certificateOf } from '../support/certificate.ts'
import { compactToken, newKey } from '../support/keys.ts'
import { schemeFactory } from '../support/schemes.ts'
import { snsMessage } from '../support/sns-sender.ts'

const root = new URL('../../', import.meta.url)
const NAMES = readdirSync(new URL('examples/schemes/', root)).map((file) => file.replace('.ts', ''))
const FRAMEWORKS = ['Express', 'Fastify', 'Hono', 'Next.js']

/** The programs of a sender's page, in the order of the frameworks. */
function programsOn(name: string): readonly { readonly framework: string; readonly code: string }[] {
  const page = readFileSync(new URL(`docs/schemes/${name}.md`, root), 'utf8')
  const codes = [...page.matchAll(/^```js\n(.*?)^```$/gms)]
  return codes.map(([, code = ''], at) => ({ framework: FRAMEWORKS[at] ?? '', code }))
}

/** A sender's request. */
interface Request {
  readonly headers: Record<string, string>
  readonly body: string
}

/** How to configure a program, and how its sender signs. */
interface Sender {
  /** The environment variable for the secret or the public key. */
  readonly variable?: string
  readonly secret?: string
  readonly privateKey?: Parameters<typeof signAs>[1]['privateKey']
  readonly body?: object | string
  readonly publicUrl?: string
  /** Further environment variables. */
  readonly env?: { readonly [variable: string]: string }
  readonly sign?: (sender: Sender) => Promise<Request> | Request
  /** The responses of its hosts. The hosts are replaced, because no request may leave this machine. */
  readonly fetch?: () => Response
}

const RSA = newKey('RS256')
const P256 = newKey('ES256', 'plaid-1')
const ed25519 = await pairOf({ name: 'Ed25519' }, 'raw', 'hex')
const p256 = await pairOf({ name: 'ECDSA', namedCurve: 'P-256' }, 'spki', 'base64')

async function pairOf(
  kind: { name: string; namedCurve?: string },
  form: 'raw' | 'spki',
  spelling: 'hex' | 'base64',
) {
  const pair = await crypto.subtle.generateKey(kind, true, ['sign', 'verify'])
  if (!('privateKey' in pair)) throw new TypeError('no pair')
  const secret = Buffer.from(await crypto.subtle.exportKey(form, pair.publicKey)).toString(spelling)
  return { secret, privateKey: await crypto.subtle.exportKey('jwk', pair.privateKey) }
}

const WHSEC = `whsec_${Buffer.alloc(32, 'k').toString('base64')}`
const BODY = { id: 'made-up-1', type: 'made.up', webhookTimestamp: Date.now() }
const urlOf = (name: string) => `https://example.com/webhooks/${name}`

const SENDERS: { readonly [name: string]: Sender } = {
  'standard-webhooks': { variable: 'STANDARD_WEBHOOKS_SECRET', secret: WHSEC },
  stripe: { variable: 'STRIPE_WEBHOOK_SECRET' },
  github: { variable: 'GITHUB_WEBHOOK_SECRET' },
  slack: { variable: 'SLACK_SIGNING_SECRET' },
  shopify: { variable: 'SHOPIFY_CLIENT_SECRET' },
  twilio: { variable: 'TWILIO_AUTH_TOKEN', publicUrl: urlOf('twilio'), body: 'Body=Hi&From=%2B1' },
  meta: {
    variable: 'META_APP_SECRET',
    env: { META_VERIFY_TOKEN: 'a verify token' },
    body: { entry: [{ id: '1' }] },
  },
  line: { variable: 'LINE_CHANNEL_SECRET', body: { events: [{ type: 'message' }] } },
  telegram: { variable: 'TELEGRAM_SECRET_TOKEN', body: { update_id: 1 } },
  gitlab: { variable: 'GITLAB_SECRET_TOKEN' },
  notion: { variable: 'NOTION_VERIFICATION_TOKEN' },
  hubspot: { variable: 'HUBSPOT_CLIENT_SECRET', publicUrl: urlOf('hubspot'), body: [{ objectId: 1 }] },
  workos: { variable: 'WORKOS_WEBHOOK_SECRET' },
  linear: { variable: 'LINEAR_WEBHOOK_SECRET' },
  sendgrid: { variable: 'SENDGRID_VERIFICATION_KEY', ...p256, body: [{ event: 'open' }] },
  mailgun: { variable: 'MAILGUN_SIGNING_KEY', body: mailgunBody() },
  discord: { variable: 'DISCORD_PUBLIC_KEY', ...ed25519, body: { id: '1', type: 2 } },
  intercom: { variable: 'INTERCOM_CLIENT_SECRET' },
  square: { variable: 'SQUARE_SIGNATURE_KEY', publicUrl: urlOf('square') },
  razorpay: { variable: 'RAZORPAY_WEBHOOK_SECRET' },
  paddle: { variable: 'PADDLE_WEBHOOK_SECRET' },
  sns: {
    sign: () => ({
      headers: { 'content-type': 'text/plain; charset=UTF-8' },
      body: JSON.stringify(snsMessage(RSA, Date.now(), { Message: '{"notificationType":"Bounce"}' })),
    }),
    fetch: () => new Response(certificateOf(RSA.publicKey)),
  },
  x: { variable: 'X_CONSUMER_SECRET', body: { follow_events: [{ type: 'follow' }] } },
  zoom: { variable: 'ZOOM_SECRET_TOKEN' },
  vercel: { variable: 'VERCEL_WEBHOOK_SECRET' },
  plaid: {
    sign() {
      const body = JSON.stringify(BODY)
      const hash = createHash('sha256').update(body).digest('hex')
      const claims = { iat: Math.floor(Date.now() / 1000), request_body_sha256: hash }
      const token = compactToken({ alg: 'ES256', kid: P256.keyId }, claims, P256.sign)
      return { headers: { 'plaid-verification': token, 'content-type': 'application/json' }, body }
    },
    fetch: () => Response.json({ key: { ...P256.publicKey, expired_at: null } }),
  },
}

function mailgunBody(): object {
  const signature = { timestamp: `${Math.floor(Date.now() / 1000)}`, token: 'a'.repeat(50) }
  return { signature, 'event-data': { id: 'one', event: 'delivered' } }
}

/** Signs by the scheme's row, unless the sender has its own function. */
async function signed(name: string, sender: Sender): Promise<Request> {
  if (sender.sign) return sender.sign(sender)
  const { secret = 'a secret of this test', privateKey, body = BODY, publicUrl } = sender
  const key = privateKey ? { privateKey } : { secret }
  const request = await signAs(await schemeFactory(name), { ...key, body: body as string, publicUrl }) // or any value that JSON can write
  return { headers: { ...request.headers }, body: request.body }
}

/** Sets what the program reads, and replaces what it asks. */
function surround({ variable, secret = 'a secret of this test', env, fetch }: Sender) {
  for (const [key, value] of Object.entries(env ?? {})) vi.stubEnv(key, value)
  if (variable !== undefined) vi.stubEnv(variable, secret)
  if (fetch) vi.stubGlobal('fetch', async () => fetch())
  vi.spyOn(console, 'log').mockImplementation(() => {})
  // A process logs a refusal now and then: each program has modules of its own.
  vi.resetModules()
  onTestFinished(() => {
    vi.unstubAllEnvs()
    vi.unstubAllGlobals()
    vi.restoreAllMocks()
  })
}

describe.each(Object.entries(SENDERS))('the programs of docs/schemes/%s.md', (name, sender) => {
  const programs = programsOn(name)

  it('the programs are those of the four frameworks', () => {
    const imported = programs.map(({ code }) => /'hookgate\/(express|fastify|hono|web)'/.exec(code)?.[1])
    expect(imported).toEqual(['express', 'fastify', 'hono', 'web'])
  })

  it.each(programs)(
    'the program for $framework accepts only what its sender signs, only once, and logs what it refuses',
    async ({ code }) => {
      const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
      surround(sender)
      const answer = await answerOf(code)
      const post = ({ headers, body }: Request) =>
        answer(new globalThis.Request(`http://site/webhooks/${name}`, { method: 'POST', headers, body }))
      const request = await signed(name, sender)
      const tampered = { ...request, body: request.body.replace(/[a-z]/, 'Z') }
      const isToken = (await schemeFactory(name)).scheme.algorithm === 'token'
      const stranger = isToken ? { ...request, headers: { 'content-type': 'application/json' } } : tampered
      expect((await post(stranger)).status).toBe(401)
      expect((await post(request)).status).toBe(200)
      const again = await post(request)
      expect([again.status, await again.text()]).toEqual([200, ''])
      expect(warn.mock.calls).toEqual([[expect.stringMatching(/ (refused|signature_mismatch|auth_missing)/)]])
    },
  )
})

it.each(programsOn('meta'))(
  "docs/schemes/meta.md has a program for $framework that answers Meta's subscription GET",
  async ({ code }) => {
    surround({ ...SENDERS.meta })
    const answer = await answerOf(code)
    const query = 'hub.mode=subscribe&hub.verify_token=a%20verify%20token&hub.challenge=42'
    const response = await answer(new globalThis.Request(`http://site/webhooks/meta?${query}`))
    expect(await response.text()).toBe('42')
  },
)

it('each program has a sender here', () => {
  expect(Object.keys(SENDERS).toSorted()).toEqual(NAMES.toSorted())
})
