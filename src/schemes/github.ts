import { jsonInForm } from './kit/body-formats.ts'
import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from GitHub by their `X-Hub-Signature-256` header, for repositories, organisations and apps. The older
 * SHA-1 header is ignored.
 *
 * The secret is the one that you entered in the webhook's settings. The signature covers only the body. The delivery's
 * ID and the event's name are in unsigned headers, so hookgate knows a duplicate by its signed body. "Redeliver" of an event
 * that succeeded is answered as a duplicate, and so is an event that repeats its body, e.g. a `workflow_dispatch` with the same
 * inputs. `dedupe: 'id'` tells these apart, but lets a captured delivery run again.
 *
 * Either content type works: `event.payload` is the event, also if a form brings it in its field `payload`. `event.rawBody` is
 * then the form. `github<EventPayloadMap>({ … })` types the events.
 *
 * @example
 * ```ts
 * const auth = github({ secrets: process.env.GITHUB_WEBHOOK_SECRET })
 * ```
 */
export const github: SchemeFactory<SecretOptions, 'x-github-event'> = schemeOf({
  name: 'github',
  sender: 'GitHub',
  secretName: 'secret of the webhook',
  secretMadeBy: 'user',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-hub-signature-256'], prefix: 'sha256=', spelling: 'hex' },
  signs: '{body}',
  eventId: { header: 'x-github-delivery' },
  eventType: { header: 'x-github-event' },
  content: ['json', /* @__PURE__ */ jsonInForm('payload')],
  maxBodyBytes: 26_214_400,
  facts: {
    otherKeys: { ghp_: 'an access token', github_pat_: 'an access token', '-----BEGIN': 'the key of an app' },
    otherSecrets: 'each webhook has its own',
    unsigned: "GitHub signs only if its webhook has a secret: set one in the webhook's settings",
    otherVersions: { 'x-hub-signature': { begins: 'sha1=', is: 'the older signature, by SHA-1' } },
  },
  limits: 'The time and the headers are not signed: X-GitHub-Delivery and X-GitHub-Event can be changed.',
})
