import type { Before } from './app.mjs'
import { SENDERS, type Sender, type Sent } from './senders.ts'

/** A mistake that people make. Whatever it omits is right. */
export interface Mistake {
  /** The configured secret. */
  readonly secret?: (sender: Sender) => string | undefined
  readonly before?: Before
  readonly allowedCidrs?: readonly string[]
  readonly sent?: (sender: Sender, now: number, name: string) => Promise<Sent>
}

const without = ({ headers, ...sent }: Sent, dropped: RegExp): Sent => ({
  ...sent,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !dropped.test(name))),
})

/** What each sender's own settings, or the way to you, get wrong. */
const OWN: { readonly [sender: string]: Mistake } = {
  stripe: { sent: (sender, now) => sender.sign(sender.secret, now, { at: now - 3_600_000 }) },
  github: {
    async sent(sender, now) {
      const sent = without(await sender.sign(sender.secret, now), /^x-hub-signature/)
      return { ...sent, headers: { ...sent.headers, 'x-hub-signature': `sha1=${'0'.repeat(40)}` } }
    },
  },
  slack: { sent: (sender, now) => sender.sign(sender.secret, now, { at: now - 3_600_000 }) },
  twilio: {
    async sent(sender, now) {
      const sent = await sender.sign(sender.secret, now, { publicUrl: 'http://shop.example/webhooks' })
      return { ...sent, headers: { ...sent.headers, 'x-forwarded-proto': 'https' } }
    },
  },
  shopify: {
    async sent(sender, now) {
      const { headers, ...sent } = await sender.sign(sender.secret, now)
      const digest = Buffer.from(headers['x-shopify-hmac-sha256'] ?? '', 'base64').toString('hex')
      return { ...sent, headers: { ...headers, 'x-shopify-hmac-sha256': digest } }
    },
  },
}

/** Fifteen of them, each with every sender. */
export const MISTAKES: { readonly [title: string]: (sender: string) => Mistake } = {
  'the secret is not set': () => ({ secret: () => undefined }),
  'the secret is another kind of key': () => ({ secret: ({ otherKey }) => otherKey }),
  'the secret is a placeholder': () => ({ secret: () => 'your_webhook_secret_here' }),
  'the secret has quotes around it': () => ({ secret: ({ secret }) => `"${secret}"` }),
  'the secret ends with a line break': () => ({ secret: ({ secret }) => `${secret}\n` }),
  'the secret is of another endpoint, or of the other mode': () => ({
    sent: (sender, now) => sender.sign(sender.otherSecret, now),
  }),
  'a body parser runs first': () => ({ before: 'a parser' }),
  'a parser runs first, and its result is written again': () => ({
    before: 'a parser whose result is written again',
  }),
  'the body is read in another character set': () => ({ before: 'a reader of text' }),
  'the body is read first, and nothing is kept': () => ({ before: 'a reader that keeps nothing' }),
  'a proxy drops the signature': () => ({
    sent: async (sender, now) => without(await sender.sign(sender.secret, now), /signature|hmac/),
  }),
  'another sender calls the URL': () => ({
    async sent(_, now, name) {
      const other = SENDERS[name === 'stripe' ? 'github' : 'stripe']
      return other ? other.sign(other.secret, now) : Promise.reject(new Error('there are five senders'))
    },
  }),
  'somebody tries it with curl': () => ({
    sent: async () => ({
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'curl/8.7.1' },
      body: '{"hello":"world"}',
    }),
  }),
  'the network of the sender is allowed, and a proxy is in front': () => ({ allowedCidrs: ['192.0.2.0/24'] }),
  "the sender's own: an old delivery, an old signature, another URL, another spelling": (sender) =>
    OWN[sender] ?? {},
}
