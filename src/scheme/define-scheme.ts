import type { Authentication, Authenticator } from '../auth/authenticator.ts'
import type { Evidence } from '../auth/evidence.ts'
import { namedSecrets, secretText } from '../auth/secrets.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { authenticateBy, type SchemeKey } from './authenticate.ts'
import type { SenderScheme } from './code-scheme.ts'
import { compileSender, coverageOf } from './compile-sender.ts'
import { checkSchemeOptions } from './options.ts'
import type { Scheme } from './scheme.ts'
import type { SchemeOptions } from './scheme-options.ts'
import { signedReader } from './signed-reader.ts'
import { matcherOf } from './verifiers.ts'

/**
 * The options of a scheme whose sender shares a secret with you.
 *
 * @see {@link defineScheme}
 */
export type SecretOptions = Pick<SchemeOptions, 'secrets' | 'dedupe'>
/**
 * The options of a scheme whose sender signs with a private key.
 *
 * @see {@link defineScheme}
 */
export type PublicKeyOptions = Pick<SchemeOptions, 'publicKeys' | 'secrets' | 'dedupe'>
/**
 * Additional options if the sender signs the URL.
 *
 * @see {@link defineScheme}
 */
export type UrlOptions = Required<Pick<SchemeOptions, 'publicUrl'>>
/**
 * Additional options if events of two topics may have the same body.
 *
 * @see {@link defineScheme}
 */
export type TopicOptions = Pick<SchemeOptions, 'topics'>
/**
 * Additional options if the sender's handshake repeats a token of yours.
 *
 * @see {@link defineScheme}
 */
export type VerifyTokenOptions = Pick<SchemeOptions, 'verifyToken'>
/**
 * Additional options if the sender's handshake delivers the secret. Omit `secrets` until you know it.
 *
 * @see {@link defineScheme}
 */
export type HandshakeOptions = Pick<SchemeOptions, 'onHandshake'>

/**
 * Makes a listener's `auth`. `scheme` is its definition.
 *
 * @see {@link defineScheme}
 */
export interface SchemeFactory<Options extends SchemeOptions = SecretOptions> {
  (options: Options): Authenticator
  /** The definition passed to `defineScheme`. */
  readonly scheme: Scheme
}

/**
 * Defines a sender's scheme. Returns a function that makes a listener's `auth`.
 *
 * @example
 * ```ts
 * const acme = defineScheme({
 *   name: 'acme',
 *   sender: 'Acme',
 *   secretName: 'signing key',
 *   algorithm: 'hmac-sha256',
 *   key: 'text',
 *   signature: { headers: ['x-acme-signature'], spelling: 'hex' },
 *   signs: '{body}',
 *   maxBodyBytes: 1_048_576,
 *   limits: 'The headers are not signed.',
 * })
 * const auth = acme({ secrets: process.env.ACME_SECRET ?? '' })
 * ```
 *
 * @throws ListenerConfigError from the returned function, for a missing, blank or malformed secret, and for unknown options.
 */
/* @__NO_SIDE_EFFECTS__ */
export function defineScheme<Options extends SchemeOptions = SecretOptions>(
  scheme: Scheme,
): SchemeFactory<Options> {
  const factory = (options: Options) => {
    checkSchemeOptions(scheme, options)
    const signed = signedReader(scheme, options)
    const authenticate = authenticateBy(scheme, keysOf(scheme, options), signed.read)
    return senderAuthenticator(scheme, options, authenticate)
  }
  return Object.assign(factory, { scheme })
}

/**
 * Makes the `auth` of a scheme from its `authenticate` function.
 *
 * @example
 * ```ts
 * const auth = senderAuthenticator(row, {}, async ({ delivery }) =>
 *   (await isGenuine(delivery))
 *     ? { method: 'scheme', scheme: 'acme', secretId: 'key', covers: 'body' }
 *     : { reason: 'signature_mismatch', detail: 'the signature is wrong' },
 * )
 * ```
 */
export function senderAuthenticator(
  scheme: SenderScheme,
  options: SchemeOptions,
  authenticate: (evidence: Evidence) => MaybePromise<Authentication>,
): Authenticator {
  return Object.freeze({ method: 'scheme' as const, sender: compileSender(scheme, options), authenticate })
}

function keysOf(scheme: Scheme, { secrets, publicKeys, onHandshake }: SchemeOptions): readonly SchemeKey[] {
  if (onHandshake !== undefined && secrets === undefined) return []
  const option = signsWithPrivateKey(scheme) ? 'publicKeys' : 'secrets'
  const given = [
    { option: 'secrets', list: secrets },
    { option: 'publicKeys', list: publicKeys },
  ].filter(({ list }) => list !== undefined)
  return (given.length > 0 ? given : [{ option, list: undefined }]).flatMap(({ option, list }) =>
    namedSecrets(list, option, secretText).map(({ id, secret }) => keyOf(scheme, id, secret, option)),
  )
}

function signsWithPrivateKey({ algorithm }: Scheme): boolean {
  return algorithm === 'ed25519' || algorithm === 'ecdsa-p256-sha256'
}

function keyOf(scheme: Scheme, id: string, secret: string, option: string): SchemeKey {
  const { signature, publicKey, name } = scheme
  const own = { algorithm: scheme.algorithm, key: scheme.key, prefix: signature.prefix ?? '' }
  const { algorithm, key, prefix } =
    publicKey && secret.startsWith(publicKey.key.base64After) ? publicKey : own
  return {
    auth: Object.freeze({ method: 'scheme', scheme: name, secretId: id, covers: coverageOf(scheme) }),
    prefix,
    matches: matcherOf(algorithm, key, signature.spelling ?? 'hex', secret, option),
  }
}
