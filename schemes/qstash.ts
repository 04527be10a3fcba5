import { ANY_BODY } from '../src/scheme/any-body.ts'
import type { CodeScheme } from '../src/scheme/code-scheme.ts'
import { type CodeSchemeFactory, defineCodeScheme } from '../src/scheme/define-code-scheme.ts'
import { type HashedToken, hashedToken, hashedTokens } from '../src/scheme/hashed-token.ts'
import { fullUrl, SHARED_SECRET_OPTIONS, type SharedSecretOptions } from '../src/scheme/options.ts'

/**
 * What `qstash` takes.
 *
 * @see {@link qstash}
 */
export interface QstashOptions extends SharedSecretOptions {
  /** The full URL that you publish to, as you write it. Never taken from a request. */
  readonly publicUrl: string
}

const tokenOf = (publicUrl: string): HashedToken => ({
  header: 'upstash-signature',
  fixed: { iss: 'Upstash', sub: publicUrl },
  hashClaim: 'body',
  spelling: 'base64url',
})

const QSTASH: CodeScheme = {
  name: 'qstash',
  sender: 'QStash',
  secretName: 'current and next signing key, sig_…',
  algorithm: 'code',
  signature: { headers: ['upstash-signature'] },
  signs: ['timestamp', 'url', 'body'],
  covers: 'body',
  timestamp: { item: 'nbf', unit: 'seconds', of: 'attempt' }, // until the token ends
  eventId: { header: 'upstash-message-id' },
  content: [ANY_BODY],
  maxBodyBytes: 1_048_576,
  async sign(delivery) {
    const token = tokenOf(delivery.need('publicUrl'))
    return { headers: { 'upstash-signature': await hashedToken(delivery.need('secret'), delivery, token) } }
  },
  limits: 'The headers are not signed: Upstash-Message-Id can be changed.',
}

/**
 * Upstash QStash: `Upstash-Signature`, a token signed with HS256. The keys are the current and the next signing key, in the
 * console: give both as `secrets`.
 *
 * The token covers the URL and the exact body, and says when it ends, after five minutes. Each token is taken once, and each message ID
 * once, which QStash keeps when it retries. `event.payload` is the JSON that you published, or the text if it is not JSON, or
 * null for bytes that are not UTF-8: those are in `event.rawBody`.
 *
 * @example
 * ```ts
 * const auth = qstash({ secrets: [currentKey, nextKey], publicUrl: 'https://example.com/hooks' })
 * ```
 */
export const qstash: CodeSchemeFactory<QstashOptions> = defineCodeScheme<QstashOptions>(
  QSTASH,
  { ...SHARED_SECRET_OPTIONS, publicUrl: fullUrl },
  ({ secrets, publicUrl }) => hashedTokens(QSTASH, secrets, tokenOf(publicUrl)),
)
