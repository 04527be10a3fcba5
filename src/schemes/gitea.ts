import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from Gitea, Forgejo and Gogs by their `X-Gitea-Signature` or `X-Gogs-Signature` header: Gitea and Forgejo send both.
 * The secret is the one that you entered in the webhook's settings, with `application/json` as the content type: of a form, only a part is
 * signed. The signature covers only the body. `X-Gogs-Delivery` and `X-Gogs-Event`, which all three send, are not signed, so the
 * signed bytes are claimed.
 *
 * @example
 * ```ts
 * const auth = gitea({ secrets: process.env.GITEA_WEBHOOK_SECRET })
 * ```
 */
export const gitea: SchemeFactory<SecretOptions, 'x-gogs-event'> = schemeOf({
  name: 'gitea',
  sender: 'Gitea',
  secretName: 'secret of the webhook',
  secretMadeBy: 'user',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-gitea-signature', 'x-gogs-signature'], spelling: 'hex' },
  signs: '{body}',
  eventId: { header: 'x-gogs-delivery' },
  eventType: { header: 'x-gogs-event' },
  maxBodyBytes: 26_214_400,
  facts: {
    unsigned: 'Gitea signs only if the webhook has a secret: enter one in its settings',
    otherFormats:
      'Gitea signs the JSON in a form, not the form: choose application/json as the content type of the webhook',
    otherVersions: {
      'x-hub-signature': { begins: 'sha1=', is: 'the same with SHA-1, as GitHub sent it' },
    },
  },
  limits:
    'The time, the URL and the headers are not signed: X-Gogs-Delivery and X-Gogs-Event can be changed.',
})
