import { byteText, encodeUtf8 } from '../lib/bytes.ts'
import { whenKnown } from '../lib/maybe-promise.ts'
import type { Scheme, SchemeRequest, SignedBytes } from '../scheme.ts'
import { authenticateBy } from './kit/authenticate.ts'
import {
  type CodeScheme,
  type CodeSchemeFactory,
  defineCodeScheme,
  SHARED_SECRET_OPTIONS,
  type SharedSecretOptions,
} from './kit/define-scheme.ts'
import { macKeys } from './kit/keys.ts'
import { signedRequest } from './kit/signed-text.ts'

const HEADER = 'x-hook0-signature'
const MOST_HEADERS = 64
const HEADER_NAMES = /^[a-z\d-]+(?: [a-z\d-]+)*$/

/** What both versions of the signature share. */
const SENDER = {
  name: 'coinbase-cdp',
  sender: 'Coinbase Developer Platform',
  secretName: 'secret of the webhook subscription',
  secretMadeBy: 'sender',
  timestamp: { item: 't=', unit: 'seconds', of: 'attempt', toleranceSeconds: 300 },
  eventId: { header: 'x-event-id' },
  eventType: { header: 'x-event-type' },
  maxBodyBytes: 1_048_576,
  facts: { unsigned: false },
  limits:
    'The URL and the headers are not signed, or joined without a clear division: X-Event-Id and X-Event-Type can be changed.',
} as const

const COINBASE_CDP: CodeScheme = {
  ...SENDER,
  algorithm: 'code',
  signature: { headers: [HEADER] },
  signs: ['timestamp', 'body'],
  covers: 'body',
  async sign({ body, timestampText, need }) {
    const signature = await macKeys(need('secret'), 'text', 'hex')[0]?.mac(`${timestampText}.`, body, '')
    return { headers: { [HEADER]: `t=${timestampText},v0=${signature}` } }
  },
}

/** A version of the signature, by the prefix of its item. */
const version = (prefix: string, signs: Scheme['signs']): Scheme => ({
  ...SENDER,
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: [HEADER], separator: ',', prefix, spelling: 'hex' },
  signs,
})

/** What version 1 signs: the time, the names that `h` lists, the values of these headers, and the body, all joined by dots. */
const withHeaders: SignedBytes = ({ header, body, refuse }: SchemeRequest) => {
  const items = header(HEADER)?.split(',') ?? []
  const [time, names, ...more] = ['t=', 'h='].flatMap((prefix) =>
    items.filter((item) => item.startsWith(prefix)).map((item) => item.slice(prefix.length)),
  )
  if (names === undefined || more.length > 0)
    return refuse('the signature header must contain h= exactly once')
  if (!HEADER_NAMES.test(names)) return refuse('h= is not a list of lower-case header names')
  const listed = names.split(' ')
  if (listed.length > MOST_HEADERS) return refuse(`h= has over ${MOST_HEADERS} names`)
  const values = listed.map((name) => header(name))
  if (values.includes(undefined)) return refuse('a header that h= lists is missing or repeated')
  const before = encodeUtf8(`${time}.${names}.${values.join('.')}.`)
  return [{ before: byteText(before), body, after: '' }]
}

/**
 * Verifies webhooks from the Coinbase Developer Platform (CDP), which Hook0 sends, by their `X-Hook0-Signature` header. The secret is in
 * the response that created the subscription. Version 0 of the signature, which Coinbase recommends, covers the time of the attempt and
 * the body. Version 1 also covers the headers that it lists. Each version that is there has to match.
 *
 * The ID, `X-Event-Id`, is in a header, so the signed bytes and the ID are both claimed. For Coinbase Commerce, use
 * `hookgate/schemes/coinbase-commerce`.
 *
 * @example
 * ```ts
 * const auth = coinbaseCdp({ secrets: process.env.COINBASE_CDP_WEBHOOK_SECRET })
 * ```
 */
export const coinbaseCdp: CodeSchemeFactory<SharedSecretOptions, 'x-event-type'> = defineCodeScheme(
  COINBASE_CDP,
  SHARED_SECRET_OPTIONS,
  ({ secrets }) => {
    const byBody = authenticateBy(version('v0=', '{timestamp}.{body}'), { secrets })
    const byHeaders = authenticateBy(version('v1=', withHeaders), { secrets }, { requests: signedRequest })
    return (evidence) => {
      const text = evidence.delivery.header(HEADER)
      const has = (prefix: string) =>
        typeof text === 'string' && text.split(',').some((item) => item.startsWith(prefix))
      if (!has('v0=')) return byHeaders(evidence)
      // Version 0 last: what it signs is claimed, whether or not version 1 is there.
      return has('v1=')
        ? whenKnown(byHeaders(evidence), (found) => ('reason' in found ? found : byBody(evidence)))
        : byBody(evidence)
    }
  },
)
