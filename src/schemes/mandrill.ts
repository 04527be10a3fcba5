import type { SignedBytes } from '../scheme.ts'
import {
  emptyReply,
  type SchemeFactory,
  type SecretOptions,
  schemeOf,
  type UrlOptions,
} from './kit/define-scheme.ts'
import { FORMS } from './kit/forms.ts'
import { handshakeAnswers } from './kit/handshake-answers.ts'
import { PRE_AUTH_BODY } from './kit/pre-auth-body.ts'
import { signedRequest } from './kit/signed-text.ts'
import { QUERY_NOT_DIVIDED, signedBytesFor, urlReader } from './kit/signed-url.ts'

const FIELD = 'mandrill_events'

/** Mandrill signs the sorted fields of a form. It sends one, and a second could hold what was signed as part of the first. */
function signedTo(publicUrl: string): SignedBytes {
  const urlOf = urlReader(publicUrl)
  return ({ fields, refuse, ...request }) => {
    const url = urlOf(request)
    if ('problem' in url) return refuse(url.problem)
    if (url.isOpen) return refuse(QUERY_NOT_DIVIDED)
    const form = fields()
    if (form === undefined) return undefined
    const [field, another] = form
    if (field?.name !== FIELD || another !== undefined)
      return refuse(`the body is no form whose only field is ${FIELD}`)
    return [{ before: url.base + url.query + url.fragment + FIELD, body: field.value, after: '' }]
  }
}

/**
 * Verifies webhooks from Mailchimp Transactional (Mandrill) by their `X-Mandrill-Signature` header, an HMAC-SHA1. The key is that of the
 * webhook, on the Webhooks page. Pass the webhook's URL as `publicUrl`, exactly as you entered it, with its query. The signature covers
 * the URL and the form, whose field `mandrill_events` is a list of events, each with `event`, `ts` and `_id`. The delivery has no ID, so
 * the signed values are claimed. Batches over 256 KB are refused, because the form is read before its sender is known.
 *
 * @example
 * ```ts
 * const auth = mandrill({
 *   secrets: process.env.MANDRILL_WEBHOOK_KEY,
 *   publicUrl: 'https://example.com/hooks',
 * })
 * ```
 */
export const mandrill: SchemeFactory<SecretOptions & UrlOptions> = schemeOf(
  {
    name: 'mandrill',
    sender: 'Mailchimp Transactional',
    secretName: 'key of the webhook',
    secretMadeBy: 'sender',
    algorithm: 'hmac-sha1',
    key: 'text',
    signature: { headers: ['x-mandrill-signature'], spelling: 'base64' },
    signs: /* @__PURE__ */ signedBytesFor(signedTo),
    takes: ['publicUrl'],
    covers: 'body',
    content: ['form'],
    jsonField: FIELD,
    maxBodyBytes: 262_144,
    handshake: {
      signed: false,
      answer: ({ method }) => (method === 'HEAD' ? emptyReply(200) : undefined),
    },
    facts: {
      unsigned: false,
      otherSecrets: 'each webhook has its own; it is no API key',
    },
    limits: 'The time and the headers are not signed. Larger batches than this are refused.',
  },
  { preAuth: PRE_AUTH_BODY, forms: FORMS, requests: signedRequest, handshakes: handshakeAnswers },
)
