import { ANY_BODY } from './kit/body-formats.ts'
import {
  type CodeScheme,
  type CodeSchemeFactory,
  defineCodeScheme,
  fullUrl,
  SHARED_SECRET_OPTIONS,
  type SharedSecretOptions,
} from './kit/define-scheme.ts'
import { type HashedToken, hashedToken, hashedTokens } from './kit/hashed-token.ts'
import { urlReader, urlText } from './kit/signed-url.ts'

/** The options of `qstash`. */
export interface QstashOptions extends SharedSecretOptions {
  /**
   * The full URL that you publish to, exactly as you write it. Origin and path are never taken from a request. Without a
   * query, any query that you have published to is accepted; with one, no other.
   */
  readonly publicUrl: string
}

const tokenOf = (publicUrl: string): HashedToken => ({
  header: 'upstash-signature',
  fixed: { iss: 'Upstash', sub: publicUrl },
  fixedBy: {
    iss: 'Upstash: another service has signed',
    sub: 'publicUrl: the message was published to another URL',
  },
  hashClaim: 'body',
  spelling: 'base64url',
})

const QSTASH: CodeScheme = {
  name: 'qstash',
  sender: 'QStash',
  secretName: 'current and next signing key, sig_…',
  secretMadeBy: 'sender',
  secretPrefix: 'sig_',
  algorithm: 'code',
  signature: { headers: ['upstash-signature'] },
  signs: ['timestamp', 'url', 'body'],
  covers: 'body',
  timestamp: { item: 'nbf', unit: 'seconds', of: 'attempt' }, // valid until `exp`
  eventId: { header: 'upstash-message-id' },
  content: [ANY_BODY],
  maxBodyBytes: 1_048_576,
  async sign(delivery) {
    const token = tokenOf(delivery.need('publicUrl'))
    return { headers: { 'upstash-signature': await hashedToken(delivery.need('secret'), delivery, token) } }
  },
  facts: { unsigned: false },
  limits: 'The headers are not signed: Upstash-Message-Id can be changed.',
}

/**
 * Verifies webhooks from Upstash QStash by their `Upstash-Signature` header, a token signed with HS256. Pass the current and
 * the next signing key from the console as `secrets`.
 *
 * The token covers the URL and the exact body and expires after five minutes. Each token and each message ID is
 * accepted once. A retry keeps its message ID. `event.payload` is the JSON that you published, or else the text, or
 * null for bytes that are not UTF-8. Read those from `event.rawBody`.
 *
 * @example
 * ```ts
 * const auth = qstash({ secrets: [currentKey, nextKey], publicUrl: 'https://example.com/hooks' })
 * ```
 */
export const qstash: CodeSchemeFactory<QstashOptions> = defineCodeScheme(
  QSTASH,
  { ...SHARED_SECRET_OPTIONS, publicUrl: fullUrl },
  ({ secrets, publicUrl }, authBy) => {
    const read = urlReader(publicUrl)
    return hashedTokens(authBy, secrets, (delivery) => {
      const url = read(delivery)
      return 'problem' in url ? url : tokenOf(urlText(url))
    })
  },
)
