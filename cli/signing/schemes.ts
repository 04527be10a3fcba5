import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Authenticator, ListenerConfigError } from '../../src/index.ts'
import { memberOf } from '../../src/lib/member-of.ts'
import { hasKeyPair, signsUrl } from '../../src/schemes/kit/compile-scheme.ts'
import type { Scheme, SchemeOptions, SenderScheme } from '../../src/schemes/kit/index.ts'
import { withoutVersion } from '../../src/schemes/kit/keys.ts'
import type { OptionRows } from '../command-line/command.ts'
import { UsageError } from '../command-line/exit.ts'
import { nearest } from '../command-line/nearest.ts'
import { findGiven, findVerifyToken, needText } from './secrets.ts'

/** Methods are bivariant: the factory of each scheme is assignable. */
interface AnyFactory {
  make(options: SchemeOptions): Authenticator
}

/** A scheme's factory, called with the options of any scheme. */
export type AnyScheme = AnyFactory['make'] & { readonly scheme: SenderScheme }

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** The names that `--scheme` takes: one for each `hookgate/schemes/<name>`. */
export async function schemeNames(): Promise<readonly string[]> {
  const folder = new URL('.', import.meta.resolve('hookgate/schemes/stripe'))
  const files = await readdir(fileURLToPath(folder))
  return files
    .filter((file) => /^[a-z0-9-]+\.js$/.test(file))
    .map((file) => file.slice(0, -3))
    .toSorted()
}

/** Loads every scheme, to recognise a sender by its headers. These are more than a hundred files. */
export async function allSchemes(): Promise<readonly AnyScheme[]> {
  return Promise.all((await schemeNames()).map(importScheme))
}

/** Finds a scheme by name. @throws UsageError if it is unknown. The message suggests the nearest name. */
export async function loadScheme(name: string): Promise<AnyScheme> {
  const names = await schemeNames()
  if (!NAME.test(name) || !names.includes(name)) {
    const similar = nearest(name, names)
    const hint = similar ? `did you mean ${similar}?` : `the schemes are\n${inLines(names)}`
    throw new UsageError(`--scheme: unknown scheme; ${hint}`)
  }
  return importScheme(name)
}

/** A list that a terminal of 80 columns shows without breaking a name. */
const inLines = (names: readonly string[]) =>
  names
    .join(', ')
    .replaceAll(/(.{1,76})(?: |$)/g, '  $1\n')
    .trimEnd()

async function importScheme(name: string): Promise<AnyScheme> {
  const module: { readonly [exported: string]: unknown } = await import(`hookgate/schemes/${name}`)
  const factory = Object.values(module).find((value) => memberOf(memberOf(value, 'scheme'), 'name') === name)
  return factory as AnyScheme // the file of a scheme exports its factory
}

/** True if this machine can sign this sender's deliveries. False if only the sender has the key. */
export function canSign({ scheme }: AnyScheme): boolean {
  return scheme.algorithm !== 'code' || scheme.sign !== undefined
}

export function isInBody({ scheme }: AnyScheme): boolean {
  return scheme.signature.member !== undefined
}

/** Whether the sender signs the URL that it calls, or may: a factory that needs the URL says so. */
export function usesUrl(factory: AnyScheme): boolean {
  if (signsUrl(factory.scheme)) return true
  try {
    factory({})
    return false
  } catch (error) {
    return error instanceof ListenerConfigError && error.option === 'publicUrl'
  }
}

/** @throws UsageError for a `--public-url` that would change nothing. */
export function checkUsesUrl(factory: AnyScheme, given: { readonly 'public-url'?: string }): void {
  if (given['public-url'] === undefined || usesUrl(factory)) return
  const { name, sender } = factory.scheme
  throw new UsageError(`--scheme ${name}: ${sender} does not sign the URL: remove --public-url`)
}

/** Whether the sender brings the secret in its first request. */
export function bringsSecret(scheme: SenderScheme): boolean {
  return scheme.algorithm !== 'code' && scheme.takes?.includes('onHandshake') === true
}

/** Reads the secret or the sender's public key from `--secret-file` or `HOOKGATE_SECRET`, once: a pipe has no second time. */
export async function schemeReceiver(
  factory: AnyScheme,
  given: KeyIdValues & { readonly 'secret-file'?: string; readonly 'verify-token-file'?: string },
  onHandshake: NonNullable<SchemeOptions['onHandshake']>,
) {
  const keyIdOption = keyIdOptionOf(factory.scheme, given)
  const verifyToken = await verifyTokenFor(factory.scheme, given['verify-token-file'])
  const options = {
    ...(keyIdOption && { [keyIdOption]: given['key-id'] }),
    ...(verifyToken !== undefined && { verifyToken }),
  }
  checkSecretIsEnough(factory, { publicUrl: 'http://127.0.0.1/', ...options })
  const isPublic = hasKeyPair(factory.scheme)
  const key = bringsSecret(factory.scheme)
    ? await findGiven(given['secret-file'])
    : await needText(given['secret-file'], isPublic ? "the sender's public key" : undefined)
  const own = key === undefined ? { onHandshake } : isPublic ? { publicKeys: key } : { secrets: key }
  return {
    /** The secret, or the sender's public key. Undefined if the sender has yet to bring the secret. */
    key,
    /** The token that the sender repeats in its handshake. */
    verifyToken,
    /** @throws UsageError if the scheme refuses the key or the URL. */
    authFor(publicUrl: string): Authenticator {
      try {
        return factory({ ...own, publicUrl, ...options })
      } catch (error) {
        if (!(error instanceof ListenerConfigError)) throw error
        throw new UsageError(`--scheme ${factory.scheme.name}: ${error.message}`, { cause: error })
      }
    },
  }
}

/** The token of a sender that repeats it in its handshake. @throws UsageError if this one does not. */
async function verifyTokenFor(scheme: SenderScheme, file: string | undefined): Promise<string | undefined> {
  const takesIt = scheme.algorithm !== 'code' && scheme.takes?.includes('verifyToken')
  if (takesIt) return findVerifyToken(file)
  if (file === undefined) return undefined
  throw new UsageError(`--scheme ${scheme.name} has no verify token: remove --verify-token-file`)
}

/** @throws UsageError for a scheme with required options of its own, e.g. the topics of SNS: no flag sets them. */
function checkSecretIsEnough(factory: AnyScheme, options: SchemeOptions): void {
  const { name } = factory.scheme
  try {
    factory(options)
  } catch (error) {
    if (!(error instanceof ListenerConfigError) || /^(?:secrets|publicKeys)/.test(error.option)) return
    throw new UsageError(
      `--scheme ${name} needs ${error.option}, which no flag of this command sets: use hookgate/schemes/${name} in your own code`,
    )
  }
}

/** Whether the sender shares no secret with you. */
export function hasNoSecret({ scheme }: AnyScheme): boolean {
  return scheme.secretName.startsWith('none; ')
}

/** Why the scheme refuses the secret, or the sender's public key. Undefined if it takes it. */
export function refusalOf(factory: AnyScheme, text: string): string | undefined {
  const { scheme } = factory
  const isPublic = hasKeyPair(scheme) || (scheme.algorithm !== 'code' && isPublicKeyOf(scheme, text))
  const keyIdOption = scheme.algorithm === 'code' ? scheme.keyIdOption : undefined
  const others = { publicUrl: 'http://127.0.0.1/', ...(keyIdOption && { [keyIdOption]: 'any' }) }
  return refusalBy(() => factory({ [isPublic ? 'publicKeys' : 'secrets']: text, ...others }))
}

const isPublicKeyOf = ({ publicKey }: Scheme, text: string) =>
  publicKey !== undefined && withoutVersion(publicKey.key, text).startsWith(publicKey.key.base64After)

/** Why a secret is refused. Undefined if it is not. */
export function refusalBy(make: () => unknown): string | undefined {
  try {
    make()
    return undefined
  } catch (error) {
    if (!(error instanceof ListenerConfigError) || !/^(?:secrets|publicKeys)\b/.test(error.option))
      throw error
    return error.problem
  }
}

/** The public name of a secret, as `--key-id` gives it. */
export interface KeyIdValues {
  readonly scheme?: string
  readonly 'key-id'?: string
}

/** Which secret a sender and its listener share. */
export const SECRET_OPTIONS = {
  'secret-file': { value: 'FILE', says: 'The file with the signing secret (default: HOOKGATE_SECRET)' },
  'key-id': {
    value: 'TEXT',
    says: "The public name of the secret, for senders that need it: LiveKit's API key, for one",
  },
} satisfies OptionRows

/** @throws UsageError for a `--key-id` without `--scheme`. */
export function checkKeyIdHasScheme(given: KeyIdValues): void {
  if (given['key-id'] === undefined || given.scheme !== undefined) return
  throw new UsageError('--key-id is for schemes that name their secret: add --scheme NAME')
}

/**
 * Which option of the scheme `--key-id` sets. Undefined if the scheme's secret has no name.
 *
 * @throws UsageError for a `--key-id` that is missing, or that the scheme does not take.
 */
export function keyIdOptionOf(scheme: SenderScheme, given: KeyIdValues): string | undefined {
  const keyId = given['key-id']
  const option = scheme.algorithm === 'code' ? scheme.keyIdOption : undefined
  if (option === undefined && keyId !== undefined) {
    throw new UsageError(`--scheme ${scheme.name} does not name its secret: remove --key-id`)
  }
  if (option !== undefined && !keyId) {
    throw new UsageError(`--scheme ${scheme.name} needs its ${option}: add --key-id TEXT`)
  }
  return option
}
