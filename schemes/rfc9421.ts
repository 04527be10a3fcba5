import { type Attempt, fail } from '../src/checks/check.ts'
import { headerOf } from '../src/delivery.ts'
import { ListenerConfigError } from '../src/errors.ts'
import { encodeBase64 } from '../src/lib/base64.ts'
import { bytesOf } from '../src/lib/bytes.ts'
import { checkedElsewhere, type OptionCheck, optional } from '../src/lib/options.ts'
import type { CodeScheme } from '../src/scheme/code-scheme.ts'
import { type CodeSchemeFactory, defineCodeScheme, vouchedBy } from '../src/scheme/define-code-scheme.ts'
import { fullUrl, SHARED_SECRET_OPTIONS, type SharedSecretOptions } from '../src/scheme/options.ts'
import type { SchemeOptions } from '../src/scheme/scheme.ts'
import { signatureReader } from '../src/scheme/signature-items.ts'
import { messageKeys } from './shared/message-keys.ts'
import { signatureBase } from './shared/signature-base.ts'
import { readByteSequences, readSignatureInput, type SignatureInput } from './shared/signature-input.ts'

/** What `rfc9421` takes: `secrets` for HMAC-SHA256, `publicKeys` for Ed25519 and ECDSA P-256, or both. */
export interface Rfc9421Options extends SharedSecretOptions, Pick<SchemeOptions, 'publicKeys'> {
  /** The full URL of the endpoint as the sender writes it. Never taken from a request. */
  readonly publicUrl: string
  /** What has to be signed beside `content-digest`: `['@method', '@target-uri']`, say. Default nothing. */
  readonly requiredComponents?: readonly string[] | undefined
}

const DIGESTS: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ['sha-256', 'SHA-256'],
  ['sha-512', 'SHA-512'],
])
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
  secretName: 'shared secret, or public key in base64',
  algorithm: 'code',
  signature: { headers: ['signature', 'signature-input'] },
  signs: ['body', 'timestamp'],
  covers: 'body',
  timestamp: { item: 'created', unit: 'seconds', of: 'attempt', toleranceSeconds: 300 },
  maxBodyBytes: 1_048_576,
  limits:
    'The body and the time are signed. Whether the URL and other headers are, the sender chooses: see requiredComponents.',
}

interface Signature {
  readonly input: SignatureInput
  /** In base64. */
  readonly text: string
}

/** The delivery's signatures over everything that is required. None where a header is malformed. */
function signaturesIn(
  signature: string,
  signatureInput: string,
  required: readonly string[],
): readonly Signature[] {
  const signatures = readByteSequences(signature)
  return [...(readSignatureInput(signatureInput) ?? [])].flatMap(([label, input]) => {
    const text = signatures?.get(label)
    const covers = required.every((name) => input.components?.includes(name))
    return text === undefined || !covers ? [] : [{ input, text }]
  })
}

/** RFC 9530. Digests of other algorithms prove nothing, and are passed over. */
async function isDigestOf({ body }: Attempt['delivery'], header: string): Promise<boolean> {
  const known = [...(readByteSequences(header) ?? [])].flatMap(([name, given]) => {
    const algorithm = DIGESTS.get(name)
    return algorithm === undefined ? [] : [{ algorithm, given }]
  })
  const right = await Promise.all(
    known.map(async ({ algorithm, given }) => {
      const digest = await crypto.subtle.digest(algorithm, bytesOf('', body, ''))
      return encodeBase64(new Uint8Array(digest)) === given
    }),
  )
  return right.length > 0 && right.every(Boolean)
}

/**
 * HTTP Message Signatures (RFC 9421) in `Signature` and `Signature-Input`, made with HMAC-SHA256, Ed25519 or ECDSA P-256. Secrets
 * are taken as text. One of the delivery's signatures has to be right, and to cover `Content-Digest` (RFC 9530), which is
 * compared with the body. It has to say when it was `created`, at most 300 seconds ago, and an `expires` is honoured.
 *
 * Name what else your sender signs as `requiredComponents`. Without `@target-uri`, or `@authority` and `@path`, a captured delivery
 * may be sent to another endpoint that shares its key. There is no ID, so what was signed is claimed. Not supported: RSA,
 * parameters of components, and `@query-param`.
 */
export const rfc9421: CodeSchemeFactory<Rfc9421Options> = defineCodeScheme<Rfc9421Options>(
  RFC9421,
  {
    ...SHARED_SECRET_OPTIONS,
    publicKeys: checkedElsewhere,
    publicUrl: fullUrl,
    requiredComponents: /* @__PURE__ */ optional(names),
  },
  ({ publicUrl, requiredComponents = [], ...options }) => {
    const keys = messageKeys(options)
    const required = ['content-digest', ...requiredComponents]
    const signatureOf = signatureReader({ headers: ['signature'] })
    const inputOf = signatureReader({ headers: ['signature-input'] })
    return async (attempt) => {
      const [signature, signatureInput] = [signatureOf(attempt), inputOf(attempt)]
      if ('reason' in signature) return signature
      if ('reason' in signatureInput) return signatureInput
      const digest = headerOf(attempt.delivery, 'content-digest')
      if (typeof digest !== 'string' || !(await isDigestOf(attempt.delivery, digest))) {
        return fail('signature_mismatch', 'Content-Digest is not that of the body')
      }
      for (const { input, text } of signaturesIn(`${signature[0]}`, `${signatureInput[0]}`, required)) {
        const base = signatureBase(input, attempt.delivery, publicUrl)
        if (base === undefined) continue
        const { created = '', alg, expires = Infinity } = Object.fromEntries(input.parameters)
        for (const key of keys) {
          if (alg !== undefined && alg !== key.algorithm) continue
          if (!(await key.verifies(bytesOf(base, NO_BYTES, ''), text))) continue
          if (!(attempt.now <= Number(expires)))
            return fail('signature_mismatch', 'the signature has expired')
          attempt.timestampText = created
          attempt.signed = { before: base, body: NO_BYTES, after: '' }
          return vouchedBy(RFC9421, key.id)
        }
      }
      return fail('signature_mismatch', `no signature over ${required.join(', ')} is right`)
    }
  },
)
