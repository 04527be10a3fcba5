import type { Signed } from '../crypto/algorithms.ts'
import { fieldText } from '../delivery.ts'
import { byteText, encodeUtf8 } from '../lib/bytes.ts'
import type { HashedBytes } from '../lib/unread.ts'
import { fail, fitsNone, mismatch } from '../reason.ts'
import {
  type CodeScheme,
  type CodeSchemeFactory,
  defineCodeScheme,
  SHARED_SECRET_OPTIONS,
  type SharedSecretOptions,
} from './kit/define-scheme.ts'
import { escapedJson } from './kit/escaped-json.ts'
import { macKeys, signerOf } from './kit/keys.ts'
import { signatureReader } from './kit/signatures.ts'

const HEADER = 'gcms-signature'
const FORM = /^sign=([^,]+), env=(.+), t=([1-9][0-9]{0,15})$/s

/** What is signed: the body as a text in JSON. */
function signedText(body: HashedBytes, environment: string, time: string): Signed {
  const after = `","EnvironmentName":${JSON.stringify(environment)},"TimeStamp":${time}}`
  return { before: '{"Body":"', body: escapedJson(body), after: byteText(encodeUtf8(after)) }
}

const HYGRAPH: CodeScheme = {
  name: 'hygraph',
  sender: 'Hygraph',
  secretName: 'secret key of the webhook',
  secretMadeBy: 'user',
  algorithm: 'code',
  signature: { headers: [HEADER] },
  signs: ['body', 'timestamp'],
  covers: 'body',
  timestamp: { item: 't=', unit: 'milliseconds', of: 'attempt' },
  eventType: { member: '/operation' },
  maxBodyBytes: 524_288, // Hygraph documents no size, and a stranger's body has to be escaped too
  async sign({ body, timestampText, need }) {
    const [key] = macKeys(need('secret'), 'text', 'base64')
    const { before, body: escaped, after } = signedText(body, 'master', timestampText)
    const signature = await key?.mac(before, escaped, after)
    return { headers: { [HEADER]: `sign=${signature}, env=master, t=${timestampText}` } }
  },
  facts: {
    unsigned: "Hygraph signs only if the webhook has a secret key: set one in the webhook's settings",
  },
  limits: 'The URL, the method and the other headers are not signed.',
}

/**
 * Verifies webhooks from Hygraph by their `gcms-signature` header. The secret key is yours, in the webhook's settings. The
 * signature covers the body, the environment's name and a time. Hygraph documents no tolerance: set `toleranceSeconds` to refuse
 * old deliveries. It documents no size either, and hookgate takes up to 512 KB: raise `maxBodyBytes` if your entries are larger. Set
 * the webhook's method to POST. There is no ID, so the signed bytes are claimed.
 *
 * Read in November 2026: the [documentation](https://hygraph.com/docs/api-reference/basics/webhooks), and `@hygraph/utils`.
 *
 * @example
 * ```ts
 * const auth = hygraph({ secrets: process.env.HYGRAPH_WEBHOOK_SECRET })
 * ```
 */
export const hygraph: CodeSchemeFactory<SharedSecretOptions, '/operation'> = defineCodeScheme(
  HYGRAPH,
  SHARED_SECRET_OPTIONS,
  ({ secrets }, authBy) => {
    const keys = macKeys(secrets, 'text', 'base64')
    // The name of the environment is Hygraph's, and may be in several lines on a web runtime, which splits at `, `.
    const readHeader = signatureReader(HYGRAPH.signature, fieldText)
    return async (evidence) => {
      const values = readHeader(evidence)
      if ('reason' in values) return values
      const [, signature = '', environment = '', time = ''] = FORM.exec(values[0] ?? '') ?? []
      if (time === '') return fail('signature_mismatch', `${HEADER} is not sign=…, env=…, t=…`)
      const signed = signedText(evidence.bytes, environment, time)
      const signer = await signerOf(keys, signature, signed)
      if (signer === undefined) return mismatch(fitsNone(keys.length))
      evidence.timestampText = time
      evidence.signed = signed
      return authBy(signer)
    }
  },
)
