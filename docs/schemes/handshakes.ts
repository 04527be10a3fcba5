/** A value of a request, as text. Of a member, also any other JSON. */
export type Place = { readonly query: string } | { readonly header: string } | { readonly member: string }

/** When a request is a handshake, and how it is answered. The schema of schemes.json says what each member means. */
export interface Answer {
  readonly method?: 'GET' | 'HEAD' | 'POST'
  readonly when?: readonly (Place & ({ readonly is: unknown } | { readonly absent: true }))[]
  readonly body?: string
  readonly verifyToken?: Place
  readonly text?: Place
  readonly longest?: number
  readonly matches?: string
  readonly mayNotBegin?: string
  readonly reply: {
    readonly status: number
    readonly headers?: { readonly [name: string]: string }
    readonly body?: '{text}'
    readonly json?: { readonly [member: string]: string | number }
    readonly hmac?: 'hex' | 'base64'
  }
}

/** The handshakes of a row that a reader can answer without code, and those that it cannot, in words. */
export interface HandshakeData {
  readonly answers?: readonly Answer[]
  /** A signed body whose only member is this one is a handshake that no answer is for: `body_malformed`. */
  readonly refuses?: string
  readonly code?: string
}

const LONGEST_ECHO = 4096

const echo = (text: Place): Pick<Answer, 'text' | 'longest' | 'reply'> => ({
  text,
  longest: LONGEST_ECHO,
  reply: { status: 200, body: '{text}' },
})

const EXISTS = { status: 200 }
const NO_EVENTS: HandshakeData = { answers: [{ when: [{ member: '/events', is: [] }], reply: EXISTS }] }
const CHALLENGE: HandshakeData = { answers: [{ method: 'GET', ...echo({ query: 'challenge' }) }] }
const HEAD: HandshakeData = { answers: [{ method: 'HEAD', reply: EXISTS }] }

/** The same as the rows' `handshake`, as data. A program that reads nothing else answers their vectors: test/oracle/reader.slow.test.ts. */
export const HANDSHAKES: { readonly [scheme: string]: HandshakeData } = {
  asana: {
    code: 'A POST with X-Hook-Secret brings the secret. Accept it only while you register the webhook, keep it, and reply 200 with the same header.',
  },
  discord: {
    answers: [
      {
        when: [
          { member: '/type', is: 1 },
          { member: '/event', absent: true },
        ],
        reply: { status: 200, json: { type: 1 } },
      },
      { when: [{ member: '/type', is: 0 }], reply: { status: 204 } },
    ],
  },
  dropbox: CHALLENGE,
  front: {
    answers: [
      {
        when: [{ member: '/type', is: 'sync' }],
        text: { header: 'x-front-challenge' },
        longest: 1024,
        reply: { status: 200, json: { challenge: '{text}' } },
      },
    ],
  },
  intercom: HEAD,
  line: NO_EVENTS,
  mandrill: HEAD,
  mailchimp: { answers: [{ method: 'GET', reply: EXISTS }] },
  'mcp-events': {
    answers: [
      {
        when: [{ member: '/type', is: 'verification' }],
        text: { member: '/challenge' },
        longest: 1024,
        reply: { status: 200, json: { challenge: '{text}' } },
      },
    ],
  },
  meta: {
    answers: [
      {
        method: 'GET',
        when: [{ query: 'hub.mode', is: 'subscribe' }],
        verifyToken: { query: 'hub.verify_token' },
        ...echo({ query: 'hub.challenge' }),
      },
    ],
  },
  notion: {
    refuses: 'verification_token',
    code: 'A POST of {"verification_token": "…"} brings the secret, and is signed with it, or not at all. Accept it only while you verify the subscription, keep it, and reply 200.',
  },
  nylas: CHALLENGE,
  okta: {
    answers: [
      {
        method: 'GET',
        text: { header: 'x-okta-verification-challenge' },
        reply: { status: 200, json: { verification: '{text}' } },
      },
    ],
  },
  ringcentral: {
    answers: [
      {
        method: 'POST',
        body: '[\\s\\S]{0,2}',
        text: { header: 'validation-token' },
        matches: '[!-~]{1,256}',
        reply: {
          status: 200,
          headers: { 'validation-token': '{text}', 'content-type': 'application/json' },
        },
      },
    ],
  },
  slack: {
    answers: [{ when: [{ member: '/type', is: 'url_verification' }], ...echo({ member: '/challenge' }) }],
    code: 'The check of a certificate is not signed: reply 200 to a GET without a body, or to a form without a query, whose only field beside token is ssl_check=1.',
  },
  surveymonkey: HEAD,
  trello: HEAD,
  twitch: {
    answers: [
      {
        when: [{ header: 'twitch-eventsub-message-type', is: 'webhook_callback_verification' }],
        ...echo({ member: '/challenge' }),
      },
    ],
  },
  woocommerce: {
    answers: [
      {
        method: 'POST',
        when: [{ header: 'x-wc-webhook-signature', absent: true }],
        body: 'webhook_id=[0-9]{1,53}',
        reply: EXISTS,
      },
    ],
  },
  x: {
    answers: [
      {
        method: 'GET',
        text: { query: 'crc_token' },
        matches: '[A-Za-z0-9+/=._~-]{1,256}',
        reply: { status: 200, json: { response_token: 'sha256={hmac}' }, hmac: 'base64' },
      },
    ],
  },
  xero: NO_EVENTS,
  zoom: {
    answers: [
      {
        when: [{ member: '/event', is: 'endpoint.url_validation' }],
        text: { member: '/payload/plainToken' },
        mayNotBegin: 'v0:',
        reply: { status: 200, json: { plainToken: '{text}', encryptedToken: '{hmac}' }, hmac: 'hex' },
      },
    ],
  },
}
