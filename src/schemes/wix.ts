import { verifySignature } from '#crypto'
import { payloadIn, payloadOf, readJws } from '../auth/jws.ts'
import { namedSecrets, secretText } from '../auth/secrets.ts'
import { claimsProblem, type TimeRules } from '../auth/token.ts'
import { tryAll } from '../auth/try-all.ts'
import type { Signed } from '../crypto/algorithms.ts'
import { rsaSpkiProblem } from '../crypto/public-keys.ts'
import { ListenerConfigError } from '../errors.ts'
import { decodeBase64, decodeUtf8 } from '../lib/bytes.ts'
import type { Json } from '../lib/json.ts'
import { checkedElsewhere, type OptionCheck } from '../lib/options.ts'
import { fail, fitsNone, mismatch, unsignedBecause } from '../reason.ts'
import type { BodyForm } from '../scheme.ts'
import {
  COMMON_OPTIONS,
  type CodeScheme,
  type CodeSchemeFactory,
  type CommonOptions,
  defineCodeScheme,
  type SchemeOptions,
} from './kit/define-scheme.ts'
import { withoutArmour } from './kit/keys.ts'

/** The options of `wix`. */
export interface WixOptions extends CommonOptions {
  /**
   * The public key of your app, from its page in Wix Studio, as PEM or as the base64 of that PEM. Required: undefined, as of a
   * variable that is not set, throws.
   */
  readonly publicKeys: NonNullable<SchemeOptions['publicKeys']> | undefined
}

const NO_BYTES = new Uint8Array(0)
/** Wix signs tokens that expire after three days and a half, and repeats them for two. */
const TIMES: TimeRules = { nbf: { ahead: 10, optional: true }, exp: { ahead: 2_592_000, optional: true } }
const ALGORITHM = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }

/** Parses a text of the payload that holds JSON. Null if it holds none. */
function parsedText(text: Json | undefined): Json {
  if (typeof text !== 'string') return text ?? null
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The token's `data`, its JSON texts parsed. */
const TOKEN: BodyForm = {
  mediaTypes: ['*'],
  contentType: 'text/plain; charset=utf-8',
  is: 'a JWT of Wix',
  read(body) {
    const data = parsedText(payloadIn(body)?.data)
    if (typeof data !== 'object' || data === null || Array.isArray(data)) return undefined
    const texts = ['data', 'identity'].filter((name) => typeof data[name] === 'string')
    return { ...data, ...Object.fromEntries(texts.map((name) => [name, parsedText(data[name])])) }
  },
  write: (event) => new Uint8Array(event),
}

const WIX: CodeScheme = {
  name: 'wix',
  sender: 'Wix',
  secretName: 'public key of the app',
  algorithm: 'code',
  hasKeyPair: true,
  signature: { headers: [] },
  signs: ['body'],
  covers: 'body',
  eventId: { member: '/data/id' },
  eventType: { member: '/eventType' },
  content: [TOKEN],
  maxBodyBytes: 262_144,
  facts: { otherSecrets: 'each app has a public key of its own', unsigned: false },
  limits: 'The URL and the headers are not signed.',
}

/** PEM files end with a line break. @throws ListenerConfigError */
const publicKeyText: OptionCheck = (value, option) =>
  secretText(typeof value === 'string' ? value.replace(/[\r\n]+$/, '') : value, option)

/** @throws ListenerConfigError */
function spkiOf(text: string): Uint8Array<ArrayBuffer> {
  const isPem = text.includes('-----')
  const pem = isPem ? text : decodeUtf8(decodeBase64(withoutArmour(text)) ?? NO_BYTES)
  const spki = pem?.includes('-----') ? decodeBase64(withoutArmour(pem)) : undefined
  const problem = spki
    ? rsaSpkiProblem(spki)
    : 'it is neither PEM nor the base64 of PEM, or has a space around it'
  if (spki === undefined || problem) throw new ListenerConfigError('publicKeys', `cannot be used: ${problem}`)
  return spki
}

/**
 * Verifies webhooks from Wix, whose whole body is a token signed with RS256. There is no secret. Pass the public key of your app as
 * `publicKeys`. The token covers the event and expires.
 *
 * `event.payload` is the token's `data`, with the texts of its `data` and `identity` parsed: `{ eventType, instanceId, data,
 * identity }`. Deliveries are claimed by the event's ID, `data.id`, or by the token if a legacy event has none.
 *
 * @example
 * ```ts
 * const auth = wix({ publicKeys: process.env.WIX_PUBLIC_KEY })
 * ```
 */
export const wix: CodeSchemeFactory<WixOptions, '/eventType'> = defineCodeScheme(
  WIX,
  { ...COMMON_OPTIONS, publicKeys: checkedElsewhere },
  ({ publicKeys }, authBy) => {
    const keys = namedSecrets(publicKeys, 'publicKeys', publicKeyText).map(({ id, secret }) => ({
      id,
      verifies: verifierOf(spkiOf(secret)),
    }))
    return async ({ bytes, now }) => {
      if (bytes.length === 0) return unsignedBecause('the body is empty')
      const jws = readJws(bytes, 'RS256')
      if (typeof jws === 'string') return fail('token_invalid', jws)
      const { signature, signingInput } = jws
      const signer = await tryAll(keys, ({ verifies }) => verifies(signature, signingInput, keys.length))
      if (signer === undefined) return mismatch(fitsNone(keys.length, 'public key'))
      const claims = payloadOf(jws)
      if (typeof claims === 'string') return fail('token_invalid', claims)
      return claimsProblem(claims, [], TIMES, now) ?? authBy(signer.id)
    }
  },
)

function verifierOf(spki: Uint8Array<ArrayBuffer>) {
  const importKey = () => crypto.subtle.importKey('spki', spki, ALGORITHM, false, ['verify'])
  // Caches the key, not its promise: workerd forbids awaiting another request's I/O.
  let imported: Awaited<ReturnType<typeof importKey>> | undefined
  return async (
    signature: Uint8Array<ArrayBuffer>,
    signingInput: Signed,
    times: number,
  ): Promise<boolean> => {
    imported ??= await importKey()
    return await verifySignature('RS256', imported, signature, signingInput, times)
  }
}
