import type { UnreadDelivery } from '../auth/evidence.ts'
import { tryAll } from '../auth/try-all.ts'
import { fieldText } from '../delivery.ts'
import { ListenerConfigError } from '../errors.ts'
import { bytesOf } from '../lib/bytes.ts'
import { checkedElsewhere, kindOf, type OptionCheck, oneOfWords, optional } from '../lib/options.ts'
import { type Failure, fail, mismatch } from '../reason.ts'
import { digestProblem } from './kit/content-digest.ts'
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
import { encodeQuery, isDerived, nameOf, queryParameters, signatureBases } from './kit/signature-base.ts'
import { type SignatureInput, signaturesIn } from './kit/signature-input.ts'
import { urlParts } from './kit/signed-url.ts'

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
  /**
   * The components that must be signed besides `content-digest`, e.g. `['@method', '@target-uri', 'x-event-id']`: header names in lower
   * case, with `;bs` behind them if the sender signs their bytes, and `@method`, `@target-uri`, `@authority`, `@scheme`,
   * `@request-target`, `@path`, `@query` and `@query-param;name="id"`. Their values and the body identify the event, so name the
   * event's ID if the sender signs one. Defaults to none.
   */
  readonly requiredComponents?: readonly string[] | undefined
}

const LONGEST_NAME = 100
const LONGEST_FIELD = 4096
const NO_BYTES: Uint8Array = /* @__PURE__ */ new Uint8Array(0)

const FIELD = /^[a-z0-9!#$%&'*+.^_`|~-]+(?:;bs)?$/
const QUERY_PARAM = '@query-param'

/** Splits a name such as `x-id;bs`, and writes it as a signature does: `"x-id";bs`. */
function componentOf(text: string) {
  const [name = ''] = text.split(';', 1)
  const parameters = text.slice(name.length)
  return { name, parameters, identifier: `"${name}"${parameters}` }
}

function isEncoded(name: string): boolean {
  return name === encodeQuery(new URLSearchParams(`=${name}`).get('') ?? '')
}

/** Whether a request can have the component. `signature` cannot sign itself. */
function isPossible(text: unknown): boolean {
  if (typeof text !== 'string') return false
  const { name, parameters } = componentOf(text)
  if (name !== QUERY_PARAM) return (FIELD.test(text) && name !== 'signature') || isDerived(text)
  const parameter = nameOf(parameters)
  return parameter !== undefined && isEncoded(parameter)
}

/** @throws ListenerConfigError for a component that no request has, such as `@status`, and for one that is named twice. */
const components: OptionCheck = (value, option) => {
  if (!Array.isArray(value)) {
    throw new ListenerConfigError(option, 'must be a list of names like @method and content-type')
  }
  const impossible = value.find((each) => !isPossible(each))
  if (impossible !== undefined || value.includes(undefined)) {
    const mend =
      impossible === QUERY_PARAM
        ? 'write the name of the parameter too: @query-param;name="id"'
        : 'use header names in lower case, @method, @target-uri, @authority, @scheme, @request-target, @path, @query and @query-param;name="id"'
    throw new ListenerConfigError(
      option,
      `names ${typeof impossible === 'string' ? impossible : kindOf(impossible)}, which no request has: ${mend}`,
    )
  }
  if (new Set(value).size < value.length) throw new ListenerConfigError(option, 'names a component twice')
}

/** @throws ListenerConfigError for a query parameter that the query of `publicUrl`, which is the only one accepted, does not have. */
function checkQueryParameters(required: readonly string[], publicUrl: string): void {
  const url = urlParts(publicUrl)
  if (url.query === '') return
  const parameterOf = queryParameters(url)
  for (const { name, parameters } of required.map(componentOf)) {
    if (name !== QUERY_PARAM || parameterOf(nameOf(parameters)) !== undefined) continue
    throw new ListenerConfigError(
      'requiredComponents',
      'names a parameter that the query of publicUrl lacks or repeats: leave the query out of publicUrl',
    )
  }
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
  retentionSeconds: 'replay-window',
  sign: signMessage,
  facts: { unsigned: 'each sender decides which messages it signs: configure it to sign these' },
  limits:
    'The body and the time are signed. The sender chooses whether to sign the URL and other headers: see requiredComponents. Equal bodies within the replay window are one event, unless a signed ID is among them.',
}

/** The text of a header that holds signatures. Refuses one that is missing or too long. */
function textOf(
  delivery: UnreadDelivery,
  name: string,
): string | Failure<'auth_missing' | 'signature_mismatch'> {
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
 * Verifies HTTP Message Signatures (RFC 9421) in `Signature` and `Signature-Input`, made with HMAC-SHA256, Ed25519, ECDSA
 * P-256 or P-384, or RSA (PSS with SHA-512, PKCS #1 with SHA-256). One of the delivery's signatures must match and cover
 * `Content-Digest` (RFC 9530), which is compared with the body. It must have a `created` of at most 300 seconds ago. An
 * `expires` is honoured.
 *
 * If you name a key, as `{ id, secret }`, the name is its `keyid`: the key verifies only signatures with that `keyid`, or
 * without any. A key without a name verifies any `keyid`.
 *
 * List what else your sender signs in `requiredComponents`. Without `@target-uri`, or `@authority` and `@path`, a
 * captured delivery can be replayed to another endpoint with the same key.
 *
 * A delivery may have several signatures, of which each could be replayed alone. So an event is known by its body and the values of
 * `requiredComponents`, whatever else is signed, for as long as a captured delivery can be replayed: 601 seconds by default, more with a
 * larger `toleranceSeconds`. A second event with an equal body within that time is a duplicate. If your sender signs an ID, name its
 * header in `requiredComponents`, and set `retentionSeconds` to how long it retries.
 *
 * Fields may be signed as bytes (`;bs`), and query parameters by name (`@query-param`). A signature over components
 * with other parameters (`;sf`, `;key`, `;req`, `;tr`) is refused, and the refusal names the component. On web runtimes, which join
 * repeated headers, `;bs` is refused for a header with a comma.
 *
 * @example
 * ```ts
 * const auth = rfc9421({
 *   secrets: process.env.SHARED_SECRET,
 *   publicUrl: 'https://example.com/hooks',
 *   requiredComponents: ['@method', '@target-uri', 'x-event-id'],
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
    requiredComponents: /* @__PURE__ */ optional(components),
  },
  ({ publicUrl, requiredComponents = [], secretForm, ...options }, authBy) => {
    const keys = messageKeys(options, secretForm)
    checkQueryParameters(requiredComponents, publicUrl)
    const required = [...new Set(['content-digest', ...requiredComponents])]
    const identifiers = required.map((each) => componentOf(each).identifier)
    const claimed = identifiers.slice(1).sort() // the digest stands for the body, which is claimed too
    return async (evidence) => {
      const body = evidence.bytes
      const signature = textOf(evidence.delivery, 'signature')
      if (typeof signature === 'object') return signature
      const signatureInput = textOf(evidence.delivery, 'signature-input')
      if (typeof signatureInput === 'object') return signatureInput
      const digest = fieldText(evidence.delivery, 'content-digest')
      const wrongDigest = digest === undefined ? 'no Content-Digest' : await digestProblem(body, digest)
      if (wrongDigest !== undefined) return fail('signature_mismatch', wrongDigest)
      const signatures = signaturesIn(signature, signatureInput, identifiers)
      if (typeof signatures === 'string') return fail('signature_mismatch', signatures)
      const baseOf = signatureBases(evidence.delivery, publicUrl)
      const refused = (detail: string) => fail('signature_mismatch', detail)
      let refusal = refused(`no signature covers ${required.join(', ')}`)
      const distance = ({ input }: (typeof signatures)[number]) =>
        Math.abs(evidence.now - Number(input.parameters.get('created') ?? Infinity))
      // The timeliest first: its time is the one that is judged.
      for (const { input, text } of [...signatures].sort((a, b) => distance(a) - distance(b))) {
        const base = baseOf(input)
        if ('unknown' in base) {
          const component = base.unknown.slice(0, LONGEST_NAME)
          const problem = `a signature covers ${component}, which is missing or not supported`
          refusal = refused(base.because ?? problem)
          continue
        }
        const named = keysNamed(keys, input)
        const algorithm = input.parameters.get('alg')
        const fitting = named.filter((key) => algorithm === undefined || algorithm === key.algorithm)
        if (fitting.length === 0) {
          refusal = refused(
            `${named.length === 0 ? 'keyid is the name' : 'alg is the algorithm'} of none of the keys`,
          )
          continue
        }
        const signed = bytesOf(base.text, NO_BYTES, '')
        const signer = await tryAll(fitting, (key) => key.verifies(signed, text))
        if (signer === undefined) {
          refusal = mismatch(`no signature over ${required.join(', ')} matches`)
          continue
        }
        const { created = '', expires = Infinity } = Object.fromEntries(input.parameters)
        if (!(evidence.now <= Number(expires))) {
          refusal = refused('the signature has expired')
          continue
        }
        evidence.timestampText = created
        // The same for all of a delivery's signatures. Otherwise each of them could be replayed alone.
        const values = claimed.map((identifier) => `${identifier}: ${base.values.get(identifier)}\n`)
        evidence.signed = { before: values.join(''), body, after: '' }
        return authBy(signer.id)
      }
      return refusal
    }
  },
)
