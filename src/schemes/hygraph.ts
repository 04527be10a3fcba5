import { decodeUtf8 } from '../lib/bytes.ts'
import { fail, mismatch } from '../reason.ts'
import { signatureReader } from './kit/authenticate.ts'
import {
  type CodeScheme,
  type CodeSchemeFactory,
  defineCodeScheme,
  SHARED_SECRET_OPTIONS,
  type SharedSecretOptions,
} from './kit/define-scheme.ts'
import { macKeys, signerOf } from './kit/keys.ts'

const HEADER = 'gcms-signature'
const FORM = /^sign=([^,]+), env=(.+), t=([1-9][0-9]{0,15})$/s
const NO_BYTES = new Uint8Array(0)
const encoder = new TextEncoder()

/** What is signed: the body as a text in JSON. Undefined if it is not UTF-8. */
function signedText(body: Uint8Array, environment: string, time: string): Uint8Array | undefined {
  const text = decodeUtf8(body)
  if (text === undefined) return undefined
  const members = `"Body":${JSON.stringify(text)},"EnvironmentName":${JSON.stringify(environment)}`
  return encoder.encode(`{${members},"TimeStamp":${time}}`)
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
  maxBodyBytes: 1_048_576,
  async sign({ body, timestampText, need }) {
    const [key] = macKeys(need('secret'), 'text', 'base64')
    const signature = await key?.mac('', signedText(body, 'master', timestampText) ?? NO_BYTES, '')
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
 * old deliveries. Set the webhook's method to POST. There is no ID, so the signed bytes are claimed.
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
    const readHeader = signatureReader(HYGRAPH.signature, true)
    return async (evidence) => {
      const values = readHeader(evidence)
      if ('reason' in values) return values
      const [, signature = '', environment = '', time = ''] = FORM.exec(values[0] ?? '') ?? []
      const signed = signedText(evidence.delivery.body, environment, time)
      if (time === '' || signed === undefined) {
        return fail('signature_mismatch', `${HEADER} is not sign=…, env=…, t=…, or the body is not UTF-8`)
      }
      const signer = await signerOf(keys, signature, signed)
      if (signer === undefined) return mismatch('the signature matches none of the secrets')
      evidence.timestampText = time
      evidence.signed = { before: '', body: signed, after: '' }
      return authBy(signer)
    }
  },
)
