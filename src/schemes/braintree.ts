import { constantTimeEqual, hmacWith } from '#crypto'
import type { Evidence } from '../auth/evidence.ts'
import { namedSecrets, secretText } from '../auth/secrets.ts'
import { tryAll } from '../auth/try-all.ts'
import type { Mac } from '../crypto/algorithms.ts'
import { decodeUtf8, encodeBase64, encodeUtf8 } from '../lib/bytes.ts'
import { exactText } from '../lib/options.ts'
import { type Failure, fail, fitsNone, mismatch } from '../reason.ts'
import {
  type CodeScheme,
  type CodeSchemeFactory,
  defineCodeScheme,
  emptyReply,
  type HandshakeForm,
  type SchemeOptions,
  SHARED_SECRET_OPTIONS,
  type SharedSecretOptions,
  textReply,
} from './kit/define-scheme.ts'
import { onlyOne } from './kit/form-fields.ts'

/** The options of `braintree`. */
export interface BraintreeOptions extends SharedSecretOptions {
  /** The public key of the key pair. Its private key belongs in `secrets`. */
  readonly publicKey: string
}

/** Base64, in lines. */
const ALPHABET: ReadonlySet<number> = /* @__PURE__ */ new Set(
  Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\n', (each) =>
    each.charCodeAt(0),
  ),
)
/** The texts that the handshake signs for anyone. None of them is ever accepted as a payload. */
const CHALLENGE = /^[0-9a-f]{20,32}$/
const LONGEST_CHALLENGE = 32
const LONGEST_SIGNATURES = 4096
const MOST_SIGNATURES = 10

/** Computes HMAC-SHA1 in hex. The key is the SHA-1 of the private key. */
function macWith(privateKey: string): (text: Uint8Array, after?: string, times?: number) => Promise<string> {
  let mac: Mac | undefined
  return async (text, after = '', times = 1) => {
    mac ??= hmacWith(
      'sha1',
      new Uint8Array(await crypto.subtle.digest('SHA-1', encodeUtf8(privateKey))),
      'hex',
    )
    return await mac('', text, after, times)
  }
}

/** What a form says is signed, and by whom. */
interface SignedPayload {
  readonly payload: Uint8Array
  readonly signatures: readonly string[]
}

/** Reads the two fields, and keeps nothing else of the form while the signatures are computed. */
function signedPayload(
  evidence: Evidence,
  publicKey: string,
): SignedPayload | Failure<'auth_missing' | 'signature_mismatch'> {
  const fields = evidence.fields() ?? []
  const valueNamed = (name: string) => onlyOne(fields.filter((field) => field.name === name))?.value
  const [given, payload] = [valueNamed('bt_signature'), valueNamed('bt_payload')]
  if (given === undefined || given.length === 0) return fail('auth_missing', 'no bt_signature')
  const pairs = given.length > LONGEST_SIGNATURES ? undefined : decodeUtf8(given)
  if (pairs === undefined || payload === undefined) {
    return fail('signature_mismatch', 'bt_signature or bt_payload is malformed')
  }
  if (payload.length <= LONGEST_CHALLENGE && CHALLENGE.test(decodeUtf8(payload) ?? '')) {
    return fail('signature_mismatch', 'bt_payload is a challenge, which is signed for anyone')
  }
  const signatures = pairs
    .split('&')
    .filter((pair) => pair.startsWith(`${publicKey}|`))
    .map((pair) => pair.slice(publicKey.length + 1))
    .slice(0, MOST_SIGNATURES)
  return { payload, signatures }
}

function isBase64(payload: Uint8Array): boolean {
  for (const byte of payload) if (!ALPHABET.has(byte)) return false
  return payload.length > 0
}

/** Answers the GET that verifies the endpoint. */
const CHALLENGES: HandshakeForm = {
  signed: false,
  async answer({ method, query }, options: BraintreeOptions & SchemeOptions) {
    const challenge = method === 'GET' ? query('bt_challenge') : undefined
    if (challenge === undefined) return undefined
    if (!CHALLENGE.test(challenge)) return emptyReply(400)
    const [first] = namedSecrets(options.secrets, 'secrets', secretText)
    return textReply(`${options.publicKey}|${await macWith(first?.secret ?? '')(encodeUtf8(challenge))}`)
  },
}

const BRAINTREE: CodeScheme = {
  name: 'braintree',
  sender: 'Braintree',
  secretName: 'private key of the API key pair',
  secretMadeBy: 'sender',
  keyIdOption: 'publicKey',
  algorithm: 'code',
  signature: { headers: [], member: '/bt_signature' },
  signs: ['/bt_payload'],
  covers: 'values',
  content: ['form'],
  handshake: CHALLENGES,
  maxBodyBytes: 262_144,
  /** The body given to `signAs` is the XML, which is sent as base64. */
  async sign({ body, need }) {
    const payload = `${encodeBase64(body)}\n`
    const signature = `${need('keyId')}|${await macWith(need('secret'))(encodeUtf8(payload))}`
    const form = new URLSearchParams({ bt_signature: signature, bt_payload: payload })
    return { body: encodeUtf8(`${form}`) }
  },
  facts: { unsigned: false, weakBy: 'hmac-sha1' },
  limits: 'Only bt_payload is signed. Its time is in the XML and is not checked.',
}

/**
 * Verifies webhooks from Braintree: a form whose `bt_signature` signs its `bt_payload` by HMAC-SHA1, the only algorithm that
 * Braintree offers. Pass the API key pair from the control panel: the public key as `publicKey`, the private key as `secrets`.
 *
 * `event.payload` is the form. Pass its two fields to Braintree's SDK, which parses the XML in `bt_payload`. There is
 * no ID, so the payload is claimed. The GET with a `bt_challenge` is answered for you.
 *
 * @example
 * ```ts
 * const auth = braintree({
 *   publicKey: process.env.BRAINTREE_PUBLIC_KEY ?? '',
 *   secrets: process.env.BRAINTREE_PRIVATE_KEY,
 * })
 * ```
 */
export const braintree: CodeSchemeFactory<BraintreeOptions> = defineCodeScheme(
  BRAINTREE,
  { ...SHARED_SECRET_OPTIONS, publicKey: exactText },
  ({ secrets, publicKey }, authBy) => {
    const known = namedSecrets(secrets, 'secrets', secretText)
    // Some hosts strip the last line feed.
    const keys = known.flatMap(({ id, secret }) => {
      const macOf = macWith(secret)
      return ['', '\n'].map((after) => ({ id, after, macOf }))
    })
    return async (evidence) => {
      const given = signedPayload(evidence, publicKey)
      if ('reason' in given) return given
      const { payload, signatures } = given
      const key = await tryAll(keys, async ({ macOf, after }) => {
        const mac = await macOf(payload, after, keys.length)
        return tryAll(signatures, (signature) => constantTimeEqual(mac, signature)) !== undefined
      })
      if (key === undefined) return mismatch(fitsNone(known.length))
      // Only now: to look at every byte of a stranger's takes as long as to sign them all.
      if (!isBase64(payload)) return fail('signature_mismatch', 'bt_payload is not base64')
      evidence.signed = { before: '', body: payload, after: key.after }
      return authBy(key.id)
    }
  },
)
