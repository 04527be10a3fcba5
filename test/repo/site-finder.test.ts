import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { foundSenders, namesIn } from '../../docs/site/.vitepress/theme/found-senders.ts'

/** The lines of docs/schemes.md as a browser shows them. */
const entries = readFileSync(new URL('../../docs/schemes.md', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => /^- (?:\*\*|\[\*\*)/.test(line))
  .map((line) => line.slice(2).replaceAll(/\]\([^)]*\)|[[*`]/g, ''))
const names = entries.map(namesIn)
/** The names that at least two lists of other projects had in November 2026, and hookgate had not. */
const OTHERS_LISTS = [
  ...[
    'Acuity Scheduling',
    'Airtable',
    'Airwallex',
    'Alchemy',
    'App Store',
    'Authorize.Net',
    'Beehiiv',
    'BigCommerce',
  ],
  ...[
    'Brex',
    'Cal.com',
    'Chargebee',
    'Checkout.com',
    'CircleCI',
    'Coinbase Commerce',
    'Commerce Layer',
    'Customer.io',
  ],
  ...[
    'Deepgram',
    'FastSpring',
    'Fireflies',
    'Front',
    'Gemini',
    'Google Calendar',
    'Guesty',
    'Heroku',
    'Hugging Face',
  ],
  ...[
    'Hygraph',
    'incident.io',
    'Jira',
    'Klaviyo',
    'Loops',
    'Mailchimp',
    'Mercado Pago',
    'Mercury',
    'Microsoft Teams',
  ],
  ...[
    'Modern Treasury',
    'Mollie',
    'monday.com',
    'Nash',
    'Netlify',
    'Nylas',
    'Orb',
    'PandaDoc',
    'Pipedrive',
    'Pleo',
    'Plivo',
  ],
  ...[
    'PsiFi',
    'Recall.ai',
    'Recurly',
    'Render',
    'RevenueCat',
    'RingCentral',
    'SafeBase',
    'Salesforce',
    'Sardine',
    'Segment',
  ],
  ...[
    'ShipBob',
    'Stytch',
    'Supabase',
    'Tally',
    'TikTok',
    'TikTok Shop',
    'Vapi',
    'Vercel Connect',
    'Webex',
    'Wix',
  ],
]
const find = (typed: string) => [...foundSenders(typed, names)].map((at) => names[at])

describe('the finder of the site', () => {
  it.each([
    ['stripe', /^Stripe/],
    ['STRIPE ', /^Stripe/],
    ['dropbox-sign', /^Dropbox Sign/],
    ['dropboxSign', /^Dropbox Sign/],
    ['hellosign', /^Dropbox Sign/],
    ['whatsapp', /^Meta/],
    ['sns', /^Amazon SNS/],
    ['salesforce', /^Salesforce/],
    ['9421', /^HTTP Message Signatures/],
  ])('the finder finds %s by a name, a former name or the name in code', (typed, sender) => {
    expect(find(typed)).toEqual([expect.stringMatching(sender)])
  })

  it.each([
    ['x', /^X \(Twitter\)/],
    ['X', /^X \(Twitter\)/],
    ['ai', /^Gemini/],
  ])('the finder takes %j as the beginning of a word', (typed, sender) => {
    expect(find(typed)).toContainEqual(expect.stringMatching(sender))
    expect(find(typed).length).toBeLessThanOrEqual(10)
  })

  it.each([
    ['Coinbase CDP', /^Coinbase Developer Platform/],
    ['Google Drive', /^Google Calendar and Drive/],
    ['Retell', /^Retell AI/],
    ['Twitter', /^X /],
    ['Twilio Segment', /^Segment/],
    ['GraphCMS', /^Hygraph/],
    ['Mandrill', /^Mailchimp Transactional/],
    ...OTHERS_LISTS.map((name): [string, RegExp] => [name, /./]),
  ])('the finder knows %s, which other catalogues list', (typed, sender) => {
    expect(find(typed)).toContainEqual(expect.stringMatching(sender))
    expect(find(typed).length).toBeLessThanOrEqual(4)
  })

  it.each([
    ['stirpe', /^Stripe/],
    ['gihub', /^GitHub/],
    ['shoppify', /^Shopify/],
    ['telegran', /^Telegram/],
    ['sopify', /^Shopify/],
    ['contentfull', /^Contentful/],
    ['sales force', /^Salesforce/],
  ])('the finder forgives the typo in %s', (typed, sender) => {
    expect(find(typed)).toContainEqual(expect.stringMatching(sender))
    expect(find(typed).length).toBeLessThanOrEqual(3)
  })

  it.each(['Strípe', 'Ｓｔｒｉｐｅ', 'S.t.r.i.p.e'])(
    'the finder ignores accents, width and signs: %s',
    (typed) => {
      expect(find(typed)).toEqual([expect.stringMatching(/^Stripe/)])
    },
  )

  it.each(['<script>alert(1)</script>', '"><img src=x onerror=x>', 'zzzzzz', '!?', '\u0000'])(
    'the finder finds nothing for %j, and does not fail',
    (typed) => {
      expect(find(typed)).toEqual([])
    },
  )

  it.each(['', ' ', '\t\n'])('the finder shows all senders if nothing is typed: %j', (typed) => {
    expect(find(typed)).toHaveLength(entries.length)
  })

  it('the finder reads at most 40 letters', () => {
    expect(find('x'.repeat(1_000_000))).toEqual([])
    expect(foundSenders('x'.repeat(50), ['x'.repeat(40)])).toEqual(new Set([0]))
  })

  it('each sender is found by its own names, and by its facts none', () => {
    for (const [at, name] of names.entries()) expect(foundSenders(name, names), name).toContain(at)
    expect(find('forge deliveries')).toEqual([])
  })
})
