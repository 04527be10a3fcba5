import { tryAll } from '../auth/try-all.ts'
import { type Delivery, fieldText } from '../delivery.ts'
import { ListenerConfigError } from '../errors.ts'
import { bytesOf } from '../lib/bytes.ts'
import { checkedElsewhere, type OptionCheck, oneOfWords, optional } from '../lib/options.ts'
import { type Failure, fail } from '../reason.ts'
import { isDigestOf } from './kit/content-digest.ts'
import {
  type CodeScheme,
  type CodeSchemeFactory,
  defineCodeScheme,
  fullUrl,
  type SchemeOptions,
  SHARED_SECRET_OPTIONS,
  type SharedSecretOptions,
} from './kit/define-scheme.ts'
import { type MessageKey, messageKeys, type SecretForm } from './kit/message-keys.ts'
import { signMessage } from './kit/sign-message.ts'
import { signatureBases } from './kit/signature-base.ts'
import { type SignatureInput, signaturesIn } from './kit/signature-input.ts'

/**
 * The options of `rfc9421`. Pass `secrets` for HMAC-SHA256, `publicKeys` for the other algorithms, or both. A public
 * key is PEM, the base64 of a SubjectPublicKeyInfo, or the base64 of an Ed25519 key's 32 bytes.
 */
export interface Rfc9421Options extends SharedSecretOptions, Pick<SchemeOptions, 'publicKeys'> {
  /**
   * The full URL of the endpoint, exactly as the sender knows it. Origin and path are never taken from a request. Without a
   * query, a signature may cover any query of a request; with one, no other.
   */
  readonly publicUrl: string
  /** The encoding of `secrets`. Defaults to `'text'`, whose UTF-8 is the key. */
  readonly secretForm?: SecretForm | undefined
  /** The components that must be signed besides `content-digest`, e.g. `['@method', '@target-uri']`. Defaults to none. */
  readonly requiredComponents?: readonly string[] | undefined
}

const LONGEST_NAME = 100
const LONGEST_FIELD = 4096
const NO_BYTES: Uint8Array = /* @__PURE__ */ new Uint8Array(0)

/** @throws ListenerConfigError */
const names: OptionCheck = (value, option) => {
  const isName = (each: unknown) => typeof each === 'string' && /^@?[a-z0-9-]+$/.test(each)
  if (Array.isArray(value) && value.every(isName)) return
  throw new ListenerConfigError(option, 'must be a list of names like @method and content-type')
}

const RFC9421: CodeScheme = {
  name: 'rfc9421',
  sender: 'HTTP Message Signatures',
  secretName: 'shared secret, or public key in PEM or base64',
  secretMadeBy: 'user',
  algorithm: 'code',
  signature: { headers: ['signature', 'signature-input'] },
  signs: ['body', 'timestamp'],
  covers: 'body',
  timestamp: { item: 'created', unit: 'seconds', of: 'attempt', toleranceSeconds: 300 },
  maxBodyBytes: 1_048_576,
  sign: signMessage,
  facts: { unsigned: 'each sender decides which messages it signs: configure it to sign these' },
  limits:
    'The body and the time are signed. The sender chooses whether to sign the URL and other headers: see requiredComponents.',
}

/** The text of a header that holds signatures. Refuses one that is missing or too long. */
function textOf(delivery: Delivery, name: string): string | Failure<'auth_missing' | 'signature_mismatch'> {
  const text = fieldText(delivery, name)
  if (text === undefined) return fail('auth_missing', `no ${name}`)
  return text.length > LONGEST_FIELD
    ? fail('signature_mismatch', `${name} is over ${LONGEST_FIELD} characters`)
    : text
}

/** The keys that may have made a signature: those that its `keyid` names, and those without a name. */
function keysNamed(keys: readonly MessageKey[], { parameters }: SignatureInput): readonly MessageKey[] {
  const keyid = parameters.get('keyid')?.replace(/\\(.)/g, '$1')
  return keyid === undefined ? keys : keys.filter(({ keyid: name }) => name === undefined || name === keyid)
}

/**
 * HTTP Message Signatures (RFC 9421) in `Signature` and `Signature-Input`, made with HMAC-SHA256, Ed25519, ECDSA P-256
 * or P-384, or RSA (PSS with SHA-512, PKCS #1 with SHA-256). One of the delivery's signatures must match and cover
 * `Content-Digest` (RFC 9530), which is compared with the body. It must have a `created` of at most 300 seconds ago. An
 * `expires` is honoured.
 *
 * If you name a key, as `{ id, secret }`, the name is its `keyid`: the key verifies only signatures with that `keyid`, or
 * without any. A key without a name verifies any `keyid`.
 *
 * List what else your sender signs in `requiredComponents`. Without `@target-uri`, or `@authority` and `@path`, a
 * captured delivery can be replayed to another endpoint with the same key. There is no ID, so the signed bytes are
 * claimed.
 *
 * Fields may be signed as bytes (`;bs`), and query parameters by name (`@query-param`). A signature over components
 * with other parameters (`;sf`, `;key`, `;req`, `;tr`) is refused, and the refusal names the component.
 *
 * @example
 * ```ts
 * const auth = rfc9421({
 *   secrets: process.env.SHARED_SECRET,
 *   publicUrl: 'https://example.com/hooks',
 *   requiredComponents: ['@method', '@target-uri'],
 * })
 * ```
 */
export const rfc9421: CodeSchemeFactory<Rfc9421Options> = defineCodeScheme(
  RFC9421,
  {
    ...SHARED_SECRET_OPTIONS,
    publicKeys: checkedElsewhere,
    publicUrl: fullUrl,
    secretForm: /* @__PURE__ */ optional(/* @__PURE__ */ oneOfWords('text', 'base64', 'hex')),
    requiredComponents: /* @__PURE__ */ optional(names),
  },
  ({ publicUrl, requiredComponents = [], secretForm, ...options }, authBy) => {
    const keys = messageKeys(options, secretForm)
    const required = ['content-digest', ...requiredComponents]
    return async (evidence) => {
      const signature = textOf(evidence.delivery, 'signature')
      if (typeof signature === 'object') return signature
      const signatureInput = textOf(evidence.delivery, 'signature-input')
      if (typeof signatureInput === 'object') return signatureInput
      const digest = fieldText(evidence.delivery, 'content-digest')
      if (digest === undefined || !(await isDigestOf(evidence.delivery.body, digest))) {
        return fail('signature_mismatch', 'Content-Digest does not match the body')
      }
      const baseOf = signatureBases(evidence.delivery, publicUrl)
      let problem = `no signature over ${required.join(', ')} matches`
      for (const { input, text } of signaturesIn(signature, signatureInput, required)) {
        const base = baseOf(input)
        if ('unknown' in base) {
          problem =
            base.because ??
            `a signature covers ${base.unknown.slice(0, LONGEST_NAME)}, which is missing or not supported`
          continue
        }
        const candidates = keysNamed(keys, input)
        if (candidates.length === 0) problem = 'keyid is the name of none of the keys'
        const algorithm = input.parameters.get('alg')
        const signed = bytesOf(base.text, NO_BYTES, '')
        const signer = await tryAll(
          candidates.filter((key) => algorithm === undefined || algorithm === key.algorithm),
          (key) => key.verifies(signed, text),
        )
        if (signer === undefined) continue
        const { created = '', expires = Infinity, nonce = '' } = Object.fromEntries(input.parameters)
        if (!(evidence.now <= Number(expires))) return fail('signature_mismatch', 'the signature has expired')
        evidence.timestampText = created
        // Without the key's name. Otherwise each of a delivery's signatures could be replayed alone.
        evidence.signed = { before: `${base.covered}${created} ${nonce}`, body: NO_BYTES, after: '' }
        return authBy(signer.id)
      }
      return fail('signature_mismatch', problem)
    }
  },
)
