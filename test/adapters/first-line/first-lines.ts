const PASS: { readonly [sender: string]: string } = {
  stripe: 'for Stripe, pass the signing secret of the endpoint, whsec_…',
  github: 'for GitHub, pass the secret of the webhook',
  slack: 'for Slack, pass the signing secret of the app',
  twilio: 'for Twilio, pass the primary auth token of the account',
  shopify: 'for Shopify, pass the client secret of the app',
}

const TITLES: { readonly [sender: string]: string } = {
  stripe: 'Stripe',
  github: 'GitHub',
  slack: 'Slack',
  twilio: 'Twilio',
  shopify: 'Shopify',
}

const COMMAND = 'To see what arrives, run: npx --no-install hookgate listen --ui --scheme '
const EXACT = 'verify the exact bytes that arrived, before any parser, middleware or proxy changes them.'
const MOUNT = 'mount verifyWebhook before express.json() and other parsers, or hand it the raw bytes.'
const UNCHANGED = 'Check that no proxy, middleware or gateway in front of this listener changes the body.'
const OLD =
  "is 3600 s old by this listener's clock: the delivery was saved and sent again, it waited in a queue, or a clock is wrong; send a new one, or run NTP on both sides."
const NOT_A_FORM =
  'Content-Type is "application/x-www-form-urlencoded", not application/json, in UTF-8; it is not signed either, so'
const SIGN = 'did not send it: sign your own tests, e.g. with hookgate send.'

/** You choose GitHub's secret, so any text may be right, and no text is refused at the start. */
const ofSecret = (sender: string, refused: string, guessed: string) =>
  sender === 'github' ? `The configured secret ${guessed}` : `secrets[0]: ${refused}; ${PASS[sender]}`

const OTHER_KEYS: { readonly [sender: string]: string } = {
  stripe: 'is an API key',
  slack: 'is a bot token',
  twilio: 'is the SID of an account',
  shopify: 'is an access token',
}

const OTHER_SECRETS: { readonly [sender: string]: string } = {
  stripe:
    'the signing secret of the endpoint, whsec_…; each endpoint has its own, and `stripe listen` another.',
  github: 'the secret of the webhook; each webhook has its own.',
  slack:
    'the signing secret of the app; each app has its own; it is neither the client secret nor the verification token.',
  twilio:
    'the primary auth token of the account; each account and subaccount has its own, Twilio signs with the primary one, and never with an API key.',
  shopify:
    "the client secret of the app; webhooks made in a shop's admin sign with the secret shown there, not with the client secret of the app.",
}

const UNSIGNED: { readonly [sender: string]: string } = {
  stripe:
    'No Stripe-Signature header: Stripe always sends it, so a proxy or middleware has dropped it, or Stripe did not send this request; sign your own tests, e.g. with hookgate send.',
  github:
    "No X-Hub-Signature-256 header: GitHub signs only if its webhook has a secret: set one in the webhook's settings; otherwise a proxy or middleware has dropped it, or GitHub did not send this request; sign your own tests, e.g. with hookgate send.",
  slack:
    'No X-Slack-Signature header: Slack signs all but ssl_check=1; otherwise a proxy or middleware has dropped it, or Slack did not send this request; sign your own tests, e.g. with hookgate send.',
  twilio:
    'No X-Twilio-Signature header: Twilio always sends it, so a proxy or middleware has dropped it, or Twilio did not send this request; sign your own tests, e.g. with hookgate send.',
  shopify:
    'No X-Shopify-Hmac-Sha256 header: Shopify always sends it, so a proxy or middleware has dropped it, or Shopify did not send this request; sign your own tests, e.g. with hookgate send.',
}

const OWN: { readonly [sender: string]: string } = {
  stripe: `t= of Stripe-Signature ${OLD}`,
  github:
    'X-Hub-Signature is the older signature, by SHA-1; only X-Hub-Signature-256 is verified: GitHub sends it too, so a proxy or middleware has dropped it.',
  slack: `X-Slack-Request-Timestamp ${OLD}`,
  twilio:
    'Twilio signed http://shop.example/webhooks; publicUrl is https://shop.example/webhooks: set publicUrl to the URL that Twilio calls; its protocol differs.',
  shopify: 'The digest is sent as hex, not base64.',
}

/** What the first line says of each mistake, by its title in `mistakes.ts`. */
export const FIRST_LINES: { readonly [title: string]: (sender: string) => string } = {
  'the secret is not set': (sender) =>
    `secrets[0]: ${sender}({ secrets }) is undefined, not text; set the environment variable, e.g. by node --env-file=.env; ${PASS[sender]}`,
  'the secret is another kind of key': (sender) =>
    ofSecret(sender, `${OTHER_KEYS[sender]}`, `looks like an access token; ${PASS[sender]}.`),
  'the secret is a placeholder': (sender) =>
    ofSecret(
      sender,
      'is a placeholder or a masked secret',
      `looks like a placeholder or a masked secret; ${PASS[sender]}.`,
    ),
  'the secret has quotes around it': (sender) =>
    ofSecret(sender, 'has quotes around it; remove them', 'has quotes around it: remove them.'),
  'the secret ends with a line break': (sender) =>
    sender === 'github'
      ? `secrets[0]: begins or ends with a line break; trim it; ${PASS[sender]}`
      : `secrets[0]: has a line break at its end; remove it; ${PASS[sender]}`,
  'the secret is of another endpoint, or of the other mode': (sender) =>
    `The secret is wrong, the body was changed, or ${TITLES[sender]} did not send this; nothing more specific was found. Check what you pass: ${OTHER_SECRETS[sender]} ${UNCHANGED} ${sender === 'twilio' ? 'Check that publicUrl, https://shop.example/webhooks, is the URL that Twilio calls, and that nothing in front of this listener changes its query. ' : ''}${COMMAND}${sender}`,
  'a body parser runs first': () =>
    "ListenerConfigError: body: was read before hookgate could, and its exact bytes are gone: run hookgate before any body parser (such as express.json()), or keep the bytes in Node's request.rawBody",
  'a parser runs first, and its result is written again': (sender) =>
    `The body was parsed and serialised again after ${TITLES[sender]} signed it; ${EXACT}`,
  'the body is read in another character set': (sender) =>
    sender === 'twilio'
      ? `The body is not the one that was sent: Content-Length is 54, and the body has 48 bytes; verify the exact bytes that arrived. Check what you pass: ${OTHER_SECRETS[sender]} ${UNCHANGED}`
      : `The body was read in the wrong character set; ${EXACT}`,
  'the body is read first, and nothing is kept': (sender) =>
    `The body is empty: ${TITLES[sender]} sent one, and a body parser has already read it; ${MOUNT}`,
  'a proxy drops the signature': (sender) => `${UNSIGNED[sender]}`,
  'another sender calls the URL': (sender) => {
    const other = sender === 'stripe' ? 'github' : 'stripe'
    return `This looks like a delivery from ${TITLES[other]}; this listener expects ${TITLES[sender]}: import hookgate/schemes/${other}, or give each sender its own URL.`
  },
  'somebody tries it with curl': (sender) =>
    sender === 'stripe' || sender === 'shopify'
      ? `${NOT_A_FORM} ${TITLES[sender]} ${SIGN}`
      : `${UNSIGNED[sender]}`,
  'the network of the sender is allowed, and a proxy is in front': () =>
    "127.0.0.1 is in none of allowedCidrs: if that is your proxy's address, declare the proxy with trustedProxies; otherwise add the sender's network to allowedCidrs.",
  "the sender's own: an old delivery, an old signature, another URL, another spelling": (sender) =>
    `${OWN[sender]}`,
}
