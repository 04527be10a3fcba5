import { createHmac } from 'node:crypto'
import type { TriedSender } from './senders.ts'

/** What one mistake makes of a genuine delivery and of the listener that gets it. */
export interface Mistaken {
  /** The configured secret. */
  readonly secret?: string
  readonly publicUrl?: string
  /** The secret that the sender has, if not its usual one. */
  readonly signedSecret?: string
  /** The body that the sender signs, if not its usual one. */
  readonly signedBody?: string
  /** The content type that the sender sends, if not its usual one. */
  readonly contentType?: string
  /** The body that arrives. */
  readonly body?: string | Uint8Array
  /** Headers that are added. Undefined removes one. */
  readonly headers?: { readonly [name: string]: string | undefined }
}

/** One mistake: what it does to a sender's delivery, or why it cannot happen to it. */
export interface Mistake {
  readonly name: string
  /** Its words. They must be in the first line, and in no line about another mistake. */
  readonly says: RegExp | ((sender: TriedSender) => RegExp)
  /** What the first line tells to do. */
  readonly fix: RegExp
  readonly of: (sender: TriedSender) => Mistaken | string
}

/** The URL that Twilio signs. */
export const SIGNED_URL = 'https://abc.ngrok.app/hook?tenant=7'

const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'
const SLACK_COMMAND =
  'token=x&team_id=T1&team_domain=acme&channel_id=C1&channel_name=general&user_id=U1&user_name=zoe&command=%2Fdeploy&text=now+please&api_app_id=A1&is_enterprise_install=false&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2F1&trigger_id=1.2.3'
const base64 = (text: string) => Buffer.from(text).toString('base64')
const isPublicKey = ({ privateKey }: TriedSender) => privateKey !== undefined
const isWhsec = ({ name }: TriedSender) => name === 'Standard Webhooks' || name === 'Svix'

const PREFIX: { readonly [sender: string]: string } = {
  Stripe: 'whsec_',
  Shopify: 'shpss_',
  Linear: 'lin_wh_',
  Paddle: 'pdl_ntfset_',
}

/** A key that the sender's console shows near the right one. */
const OTHER_KEY: { readonly [sender: string]: string } = {
  Stripe: 'sk_live_51H8xYz0123456789abcdef',
  GitHub: 'ghp_0123456789abcdefABCDEF0123456789abcd',
  Slack: 'xoxb-1234567890-1234567890123-abcdefABCDEF',
  Shopify: 'shpat_0123456789abcdef0123456789abcdef',
  Twilio: 'SK0123456789abcdef0123456789abcdef',
  'Standard Webhooks': 'whsk_bm90IGEgc2VjcmV0IG9mIHRoaXMga2luZA==',
  Svix: 'ep_2Ph0gqPTjM7kHQZVw3Qw2mE2nYz',
  Linear: 'lin_api_0123456789abcdefghijABCDEFGHIJ012345',
  Discord: 'MTA5ODc2NTQzMjEwOTg3NjU0Mw.GaBcDe.0123456789abcdefghij',
  Meta: 'EAAGm0PX4ZCpsBAKZCabcdefghijk',
  Paddle: 'pdl_live_apikey_01gtgztp8f4kek3yd4g1wrksa3_q6TGTJyvoIz7LDtXT65bX7_AQO',
}

/** The header of another version of the sender's scheme, which is not verified. */
export const OTHER_VERSION: {
  readonly [sender: string]: (sent: string) => { readonly [name: string]: string | undefined }
} = {
  Stripe: (sent) => ({ 'stripe-signature': sent.replace('v1=', 'v0=') }),
  GitHub: () => ({ 'x-hub-signature-256': undefined, 'x-hub-signature': `sha1=${'a'.repeat(40)}` }),
  'Standard Webhooks': (sent) => ({ 'webhook-signature': sent.replace('v1,', 'v2,') }),
  Svix: (sent) => ({ 'svix-signature': sent.replace('v1,', 'v1a,') }),
  Slack: (sent) => ({ 'x-slack-signature': sent.replace('v0=', 'v1=') }),
  Meta: () => ({ 'x-hub-signature-256': undefined, 'x-hub-signature': `sha1=${'a'.repeat(40)}` }),
  Paddle: (sent) => ({ 'paddle-signature': sent.replace('h1=', 'h2=') }),
}

/** Replaces the sender's headers by those of another sender. */
const otherSender = ({ name, factory }: TriedSender): Mistaken => {
  const { headers } = factory.scheme.signature
  const own = Object.fromEntries(headers.map((header) => [header, undefined]))
  return name === 'GitHub'
    ? { headers: { ...own, 'stripe-signature': `t=1,v1=${'a'.repeat(64)}`, 'x-github-event': undefined } }
    : { headers: { ...own, 'x-hub-signature-256': `sha256=${'a'.repeat(64)}`, 'x-github-event': 'push' } }
}

const secretOf = (change: (secret: string, sender: TriedSender) => string) => (sender: TriedSender) => ({
  secret: change(sender.secret, sender),
})

/** Twilio signs the port of an `http` URL. */
function twilioHeaders({ secret, body }: TriedSender, url: string) {
  const fields = [...new URLSearchParams(body)].sort(([name], [other]) => (name < other ? -1 : 1))
  const mac = createHmac('sha1', secret)
    .update(url + fields.flat().join(''))
    .digest('base64')
  return { host: new URL(url).host, 'x-twilio-signature': mac }
}

const toLatin1 = (text: string) => Buffer.from(text, 'latin1')

/** Read as Latin-1 and written as UTF-8: the `ë` is now two letters. */
const garbled = (text: string) => Buffer.from(Buffer.from(text, 'utf8').toString('latin1'), 'utf8')

const isForm = ({ name }: TriedSender) => name === 'Twilio'
const SAME_VALUES = 'a form’s values are signed, not its text: writing it again changes nothing'

const NOT_HEX = /must be hex/
const ANOTHER_KEY = /(?:secret looks like|: is) (?:an?|the) (?:\S+ )*?(?:API key|token|ID|key|SID)\b/
const anotherKey = (sender: TriedSender) => (isPublicKey(sender) ? NOT_HEX : ANOTHER_KEY)
const PARSER = { says: /body is empty.*parser|parser.*body/, fix: /before/ }
const SERIALISED = { says: /serialised again/, fix: /exact bytes/ }
const BLANK = {
  says: /(?:secret|:) has a (?:space|line break) at its|: begins or ends with a line break;/,
  fix: /remove it|trim it/,
}
const CHARSET = { says: /character set/, fix: /exact bytes/ }

export const MISTAKES: readonly Mistake[] = [
  {
    name: '1 a space at the secret’s end',
    ...BLANK,
    of: secretOf((secret) => `${secret} `),
  },
  { name: '1 a line break at the secret’s end', ...BLANK, of: secretOf((secret) => `${secret}\n`) },
  {
    name: '1 a line break as two characters',
    says: /ends with \\n/,
    fix: /remove/,
    of: (sender) => ({ secret: `${sender.secret}\\n` }),
  },
  {
    name: '2 quotes around the secret',
    says: /(?:secret|:) has quotes around it/,
    fix: /remove them/,
    of: secretOf((secret) => `"${secret}"`),
  },
  {
    name: '2 a whole .env file',
    says: /is from a \.env file/,
    fix: /pass only what follows the =/,
    of: (sender) => ({ secret: `# secrets\nexport WEBHOOK_SECRET="${sender.secret}"\nPORT=3000` }),
  },
  {
    name: '3 the secret’s prefix cut',
    says: /lacks its prefix/,
    fix: /pass it whole/,
    of: (sender) => {
      const prefix = PREFIX[sender.name]
      if (isWhsec(sender)) return 'with and without whsec_ it is the same key'
      return prefix === undefined
        ? 'its secrets have no prefix'
        : { secret: sender.secret.slice(prefix.length) }
    },
  },
  {
    name: '4 the secret in base64',
    says: (sender) => (isPublicKey(sender) ? NOT_HEX : /is base64 of/),
    fix: /decode it|public key of the app/,
    of: secretOf(base64),
  },
  {
    name: '4 the secret decoded from base64',
    says: /was decoded/,
    fix: /pass it as .* has it/,
    of: (sender) => {
      if (isWhsec(sender) || isPublicKey(sender)) return 'refused at start: no base64 or hex text'
      return {
        signedSecret: `${PREFIX[sender.name] ?? ''}${base64('a secret that is text')}`,
        secret: 'a secret that is text',
      }
    },
  },
  {
    name: '5 another kind of key',
    says: anotherKey,
    fix: /pass the/,
    of: ({ name }) => ({ secret: OTHER_KEY[name] ?? '' }),
  },
  {
    name: '5 an API key of another sender',
    says: ANOTHER_KEY,
    fix: /pass the/,
    of: () => ({ secret: 'sk_live_51H8xYz0123456789abcdef' }),
  },
  {
    name: '5 a secret of another sender',
    says: (sender) => (isPublicKey(sender) ? NOT_HEX : /looks like one of Stripe or Standard Webhooks/),
    fix: /pass the/,
    of: (sender) =>
      isWhsec(sender) || sender.name === 'Stripe'
        ? 'its own secrets begin with whsec_'
        : { secret: `whsec_${base64('a secret of another sender')}` },
  },
  {
    name: '6 an empty secret',
    says: /empty or unset/,
    fix: /environment variable.*pass the/,
    of: () => ({ secret: '' }),
  },
  { name: '7 the body consumed by a parser', ...PARSER, of: () => ({ body: '' }) },
  {
    name: '7 the body turned into a string',
    says: /\[object Object\]/,
    fix: /before/,
    of: () => ({ body: '[object Object]' }),
  },
  {
    name: '8 serialised again by JavaScript',
    ...SERIALISED,
    of: (sender) => {
      const body = isForm(sender) ? sender.body : JSON.stringify(JSON.parse(sender.body))
      if (isForm(sender)) return SAME_VALUES
      return body === sender.body ? 'it writes JSON as JavaScript does' : { body }
    },
  },
  ...([undefined, 2, 4, '\t'] as const).map((indent) => ({
    name: `8 serialised again, ${indent === undefined ? 'as Python does' : `indented by ${JSON.stringify(indent)}`}`,
    ...SERIALISED,
    of: (sender: TriedSender) => {
      const text = isForm(sender) ? '{"a":[1,2]}' : sender.body
      const indented = JSON.stringify(JSON.parse(text), undefined, indent ?? 1)
      const body =
        indent === undefined ? indented.replace(/\n */g, ' ').replace(/([[{]) | (?=[\]}])/g, '$1') : indented
      if (body === text) return 'it writes JSON so itself'
      return { body, ...(isForm(sender) && { signedBody: text, contentType: JSON_TYPE }) }
    },
  })),
  {
    name: '8 a form parsed and sent on as JSON',
    says: /serialised again/,
    fix: /exact bytes/,
    of: ({ name }) =>
      name === 'Slack'
        ? {
            signedBody: SLACK_COMMAND,
            contentType: FORM_TYPE,
            body: JSON.stringify(Object.fromEntries(new URLSearchParams(SLACK_COMMAND))),
          }
        : name === 'GitHub'
          ? {
              signedBody: `payload=${encodeURIComponent('{"a":1}')}`,
              contentType: FORM_TYPE,
              body: JSON.stringify({ payload: '{"a":1}' }),
            }
          : name === 'Twilio'
            ? 'refused before the signature: JSON is no form'
            : 'it sends no forms',
  },
  {
    name: '8 the blanks of a form written anew',
    says: /serialised again/,
    fix: /exact bytes/,
    of: ({ name }) =>
      name === 'Slack'
        ? { signedBody: SLACK_COMMAND, contentType: FORM_TYPE, body: SLACK_COMMAND.replaceAll('+', '%20') }
        : name === 'GitHub'
          ? {
              signedBody: 'payload=%7B%22a%22%3A+1%7D',
              contentType: FORM_TYPE,
              body: 'payload=%7B%22a%22%3A%201%7D',
            }
          : name === 'Twilio'
            ? SAME_VALUES
            : 'it sends no forms',
  },
  {
    name: '9 a BOM before the body',
    says: /byte order mark/,
    fix: /exact bytes/,
    of: ({ body }) => ({ body: `\uFEFF${body}` }),
  },
  {
    name: '9 a line break at the body’s end',
    says: /body ends with a line break/,
    fix: /exact bytes/,
    of: ({ body }) => ({ body: `${body}\n` }),
  },
  {
    name: '9 line breaks changed',
    says: /line breaks/,
    fix: /exact bytes/,
    of: ({ name, body }) =>
      name === 'Stripe' ? { body: body.replaceAll('\n', '\r\n') } : 'its bodies have one line',
  },
  {
    name: '9 read as Latin-1',
    ...CHARSET,
    of: ({ body }) =>
      Buffer.byteLength(body) > body.length ? { body: garbled(body) } : 'its bodies are ASCII',
  },
  {
    name: '9 written as Latin-1',
    ...CHARSET,
    of: ({ body }) =>
      Buffer.byteLength(body) > body.length ? { body: toLatin1(body) } : 'its bodies are ASCII',
  },
  {
    name: '10 form fields in another order',
    says: /fields .*another order/,
    fix: /exact bytes/,
    of: ({ name }) =>
      name === 'Slack'
        ? {
            signedBody: SLACK_COMMAND,
            contentType: FORM_TYPE,
            body: SLACK_COMMAND.split('&').sort().join('&'),
          }
        : name === 'Twilio'
          ? 'it signs the fields sorted by name'
          : name === 'GitHub'
            ? 'its forms have one field'
            : 'it sends no forms',
  },
  {
    name: '11 no signature header',
    says: /^No (?:[A-Z0-9][A-Za-z0-9]*-?)+ header/,
    fix: /proxy|middleware/,
    of: ({ factory }) => ({
      headers: Object.fromEntries(factory.scheme.signature.headers.map((name) => [name, undefined])),
    }),
  },
  {
    name: '12 another sender’s headers',
    says: /looks like a delivery from/,
    fix: /import hookgate\/schemes\//,
    of: otherSender,
  },
  {
    name: '12 another version’s signature',
    says: /older signature|no (?:v[01]|h1)[=,] signature/,
    fix: /verified/,
    of: ({ name }) => (OTHER_VERSION[name] ? { headers: { '*': name } } : 'it has one version'),
  },
  ...(
    [
      ['http for https', 'http://abc.ngrok.app/hook?tenant=7'],
      ['another host', 'https://localhost/hook?tenant=7'],
      ['a slash at its end', 'https://abc.ngrok.app/hook/?tenant=7'],
      ['no query', 'https://abc.ngrok.app/hook'],
      ['all of it', 'http://localhost:3000/hook'],
    ] as const
  ).map(([name, publicUrl]) => ({
    name: `13 the public URL with ${name}`,
    says: /signed https:\/\/abc\.ngrok\.app\/hook\?tenant=7; publicUrl is/,
    fix: /set publicUrl/,
    of: (sender: TriedSender) => (sender.name === 'Twilio' ? { publicUrl } : 'it does not sign the URL'),
  })),
  {
    name: '13 the public URL without the port',
    says: /signed http:\/\/abc\.ngrok\.app:8443\/hook; publicUrl is/,
    fix: /set publicUrl/,
    of: (sender) =>
      sender.name === 'Twilio'
        ? {
            publicUrl: 'http://abc.ngrok.app/hook',
            headers: twilioHeaders(sender, 'http://abc.ngrok.app:8443/hook'),
          }
        : 'it does not sign the URL',
  },
]

/** Nothing tells these two apart. */
export const UNKNOWN: readonly Mistake[] = [
  {
    name: '14 the secret of another endpoint',
    says: /nothing more specific was found$/,
    fix: /./,
    of: ({ otherSecret }) => ({ secret: otherSecret }),
  },
  {
    name: '15 a body that was changed',
    says: /nothing more specific was found$/,
    fix: /./,
    of: (sender) => ({
      body: isForm(sender) ? sender.body.replace('hi', 'no') : sender.body.replace('evt_1', 'evt_2'),
    }),
  },
]
