import { memberOf } from '../../src/lib/member-of.ts'
import { hasKeyPair, maySignQuery, signsUrl } from '../../src/schemes/kit/compile-scheme.ts'
import { withQueryOf } from '../../src/schemes/kit/signed-url.ts'
import { type SignedRequest, signHmac, signJwt } from '../../src/signing/sign.ts'
import { type SignAsOptions, signAs } from '../../src/signing/sign-as.ts'
import type { OptionRows, ValuesOf } from '../command-line/command.ts'
import { UsageError } from '../command-line/exit.ts'
import { codeOf, readBody, refuseStray, toUsageError, wholeNumber } from '../command-line/values.ts'
import { endpointOf } from './endpoint.ts'
import { readPrivateKey } from './key-files.ts'
import {
  type AnyScheme,
  canSign,
  checkKeyIdHasScheme,
  checkUsesUrl,
  type KeyIdValues,
  keyIdOptionOf,
  loadScheme,
  refusalOf,
  SECRET_OPTIONS,
} from './schemes.ts'
import { needSecret, needText } from './secrets.ts'

/** What signs, and for whom. `conform` has these options too. */
export const SENDER_OPTIONS = {
  ...SECRET_OPTIONS,
  key: {
    value: 'FILE',
    says: 'The private key as a JWK, for JWT and for senders with a key pair, such as Discord',
  },
  'tenant-url': { value: 'URL', says: 'The sub of the token (default: the origin of its aud)' },
} satisfies OptionRows

export const SIGN_OPTIONS = {
  scheme: {
    value: 'NAME',
    says: 'Sign as this sender: stripe, github, slack, … (hookgate schemes lists them)',
  },
  data: { value: 'TEXT', says: 'The body' },
  file: { value: 'FILE', says: 'The file with the body (default: standard input)' },
  ...SENDER_OPTIONS,
  'public-url': {
    value: 'URL',
    says: 'The URL that the receiver knows itself by, if the sender signs it or a token names it (default: URL)',
  },
  expires: { value: 'SECONDS', says: 'How long a token is valid (default: 300; receivers refuse over 600)' },
  'event-id': { value: 'ID', says: 'The ID of the event, where a header holds it (default: a new one)' },
  timestamp: { value: 'SECONDS', says: 'The signed time, in Unix seconds (default: now)' },
  skew: {
    value: 'SECONDS',
    says: 'Move the signed time: -600 makes it ten minutes old, to see a refusal',
  },
} satisfies OptionRows

/** Those that only a token needs, or a sender with a key pair. */
export const JWT_OPTION_NAMES = ['key', 'tenant-url', 'expires'] as const

export type SignValues = ValuesOf<typeof SIGN_OPTIONS>

/** Signs one body and event ID, with a new signature for each attempt. */
export interface Signer {
  readonly method: 'hmac' | 'jwt' | 'scheme'
  readonly eventId: string
  /** Where to send it. */
  readonly target: string
  sign(): Promise<SignedRequest>
}

/** What a scheme's delivery may say in its headers. */
interface Extras {
  readonly eventType?: string | undefined
  readonly contentType?: string | undefined
}

const FARTHEST_SECONDS = 1e12

const readSignedBody = (given: SignValues) => readBody(given, '--data TEXT, --file FILE')

/** Reads the signing options. @throws UsageError if some are missing, unreadable or contradictory. */
export async function readSigner(given: SignValues, url: string, extras: Extras = {}): Promise<Signer> {
  checkOneMethod(given)
  const eventId = given['event-id'] ?? crypto.randomUUID()
  if (!/^[\x21-\x7e]+$/.test(eventId)) throw new UsageError('--event-id takes one word, e.g. a UUID v4')
  const skew = wholeNumber('--skew', given.skew ?? '0', -FARTHEST_SECONDS, FARTHEST_SECONDS)
  const fixed =
    given.timestamp === undefined ? undefined : wholeNumber('--timestamp', given.timestamp, 0, 1e15)
  const timestamp = () => (fixed ?? Math.floor(Date.now() / 1000)) + skew
  if (given.scheme !== undefined)
    return schemeSigner(given, given.scheme, url, { ...extras, eventId }, timestamp)
  if (given.key !== undefined) {
    const options = {
      ...(await readJwtOptions(given, given.key, url)),
      eventId,
      body: await readSignedBody(given),
    }
    const sign = () => signJwt({ ...options, timestamp: timestamp() })
    return { method: 'jwt', eventId, target: url, sign: () => signWithKey(sign) }
  }
  const options = {
    secret: await needSecret(given['secret-file']),
    eventId,
    body: await readSignedBody(given),
  }
  return {
    method: 'hmac',
    eventId,
    target: url,
    sign: () => signHmac({ ...options, timestamp: timestamp() }),
  }
}

/** Signs as another sender: with its secret, or with a private JWK in `--key`. */
async function schemeSigner(
  given: SignValues,
  name: string,
  url: string,
  known: Extras & { readonly eventId: string },
  timestamp: () => number,
): Promise<Signer> {
  refuseStray(given, ['tenant-url', 'expires'], 'is for JWT: leave it out')
  const { scheme, keys } = await readSender(given, name)
  const publicUrl = publicUrlOf(scheme, given, url)
  const body = await readSignedBody(given)
  return {
    method: 'scheme',
    eventId: known.eventId,
    target: targetOf(scheme, given, url),
    async sign() {
      try {
        return await signAs(scheme, { ...keys, ...known, body, publicUrl, timestamp: timestamp() })
      } catch (error) {
        if (publicUrl === undefined && memberOf(error, 'option') === 'publicUrl') throw needsUrl(name)
        throw toUsageError(error, `--scheme ${name}`)
      }
    },
  }
}

/** The URL that the sender calls. @throws UsageError if the scheme signs it, and it is no full URL. */
export function publicUrlOf(
  { scheme }: AnyScheme,
  given: Pick<SignValues, 'public-url'>,
  url: string,
): string | undefined {
  const publicUrl = given['public-url'] ?? url
  if (URL.canParse(publicUrl)) return withQueryOf(publicUrl, url)
  if (signsUrl(scheme)) throw needsUrl(scheme.name)
  return undefined
}

/** Where to send a delivery: to `url`, with the query of `--public-url` if it has none and the sender signs it. */
export function targetOf(
  { scheme }: AnyScheme,
  { 'public-url': publicUrl = '' }: Pick<SignValues, 'public-url'>,
  url: string,
): string {
  return maySignQuery(scheme) ? withQueryOf(url, publicUrl) : url
}

const needsUrl = (name: string) =>
  new UsageError(`--scheme ${name} signs the URL: give it in full, or as --public-url`)

/** The scheme, and what signs as its sender. @throws UsageError if only the sender can. */
export async function readSender(
  given: KeyIdValues & Pick<SignValues, 'secret-file' | 'key' | 'public-url'>,
  name: string,
): Promise<{
  readonly scheme: AnyScheme
  readonly keys: Pick<SignAsOptions, 'secret' | 'keyId' | 'privateKey'>
}> {
  const scheme = await loadScheme(name)
  checkUsesUrl(scheme, given)
  if (!canSign(scheme)) {
    throw new UsageError(`--scheme ${name} cannot be signed here: only the sender has the key`)
  }
  keyIdOptionOf(scheme.scheme, given) // before it asks for a secret
  if (!hasKeyPair(scheme.scheme)) {
    refuseStray(given, ['key'], `is not for --scheme ${name}, which signs with a shared secret: remove it`)
    const secret = await needText(given['secret-file'])
    const refusal = refusalOf(scheme, secret)
    if (refusal !== undefined) throw new UsageError(`--scheme ${name}: the secret ${refusal}`)
    return { scheme, keys: { secret, keyId: given['key-id'] } }
  }
  if (given.key === undefined)
    throw new UsageError(`--scheme ${name} signs with a private key: add --key FILE`)
  return { scheme, keys: { privateKey: await readPrivateKey(given.key) } }
}

/** @throws UsageError for options of two methods. */
export function checkOneMethod(given: Partial<SignValues>): void {
  checkKeyIdHasScheme(given)
  if (given.key !== undefined && given['secret-file'] !== undefined) {
    throw new UsageError('give --key or --secret-file, not both')
  }
  if (given.key !== undefined || given.scheme !== undefined) return
  refuseStray(given, ['tenant-url', 'public-url', 'expires'], 'is for JWT: add --key')
}

async function readJwtOptions(given: SignValues, keyFile: string, url: string) {
  if (url === '') throw new UsageError('needs the URL, because a token is for one endpoint')
  const expires = given.expires
  return {
    privateKey: await readPrivateKey(keyFile),
    ...endpointOf(url, given),
    expiresInSeconds:
      expires === undefined
        ? undefined
        : wholeNumber('--expires', expires, -FARTHEST_SECONDS, FARTHEST_SECONDS),
  }
}

/** Signs with the key of `--key`. @throws UsageError if it cannot sign. */
export async function signWithKey<Signed>(sign: () => Promise<Signed>): Promise<Signed> {
  try {
    return await sign()
  } catch (error) {
    // jose's codes say what is wrong with a key; its messages may quote it.
    throw new UsageError(
      `--key: this key cannot sign (${codeOf(error) || 'not a usable JWK'}); make one with hookgate keys`,
    )
  }
}
