import type { Authenticator } from '../../auth/authenticator.ts'
import type { Secrets } from '../../auth/secrets.ts'
import { secretText } from '../../auth/secrets.ts'
import type { CodeScheme, SenderScheme } from '../../code-scheme.ts'
import { ListenerConfigError } from '../../errors.ts'
import type { EventAuth } from '../../event.ts'
import {
  aFunction,
  checkedElsewhere,
  checkOptions,
  type OptionCheck,
  type OptionTable,
  oneOfWords,
  optional,
} from '../../lib/options.ts'
import { parseTime } from '../../lib/time.ts'
import type { CompiledScheme } from '../../protocol.ts'
import type { Scheme, SchemeOptions } from '../../scheme.ts'
import type { EventsOf, EventTypes, NamedEvents, WithOthers } from '../../typed-events.ts'
import { type AuthenticationParts, authenticateBy } from './authenticate.ts'
import { type CompileParts, compileScheme, hasKeyPair, signsUrl } from './compile-scheme.ts'
import type { warnOfCut } from './cut-secrets.ts'
import { FORMS } from './forms.ts'
import { handshakeAnswers } from './handshake-answers.ts'
import type { inEitherFamily, RowAuthenticator } from './header-families.ts'
import { PRE_AUTH_BODY } from './pre-auth-body.ts'
import { readSecrets, usageOf } from './secret-forms.ts'

export type { CodeScheme, SenderScheme, SignedParts, Unsigned } from '../../code-scheme.ts'
export type { HandshakeForm, SchemeOptions } from '../../scheme.ts'
export { emptyReply, jsonReply, textReply } from './handshake-answers.ts'

/** The options of a scheme whose sender shares a secret with you. */
export interface SecretOptions extends Pick<SchemeOptions, 'dedupe'> {
  /** The signing secret, or several during a rotation. Required: undefined, such as a variable that is not set, throws. */
  readonly secrets: Secrets
}
/** The options of a scheme whose sender signs with a private key. */
export type PublicKeyOptions = Pick<SchemeOptions, 'publicKeys' | 'secrets' | 'dedupe'>
/** Additional options if the sender signs the URL. */
export type UrlOptions = Required<Pick<SchemeOptions, 'publicUrl'>>
/** Additional options if events of two topics may have the same body. */
export type TopicOptions = Pick<SchemeOptions, 'topics'>
/** Additional options if the sender's handshake repeats a token of yours. */
export type VerifyTokenOptions = Pick<SchemeOptions, 'verifyToken'>
/** The options if the sender's handshake delivers the secret. Omit `secrets` until you know it. */
export type HandshakeOptions = Pick<SchemeOptions, 'secrets' | 'dedupe' | 'onHandshake'>

/**
 * Makes a listener's `auth`. `scheme` is its definition.
 *
 * `EventName` is where the sender names its events: a JSON pointer (RFC 6901) into the body, e.g. `'/type'`, or a header. The
 * factory's type argument says what the sender sends: the union of its bodies, `stripe<Stripe.Event>(…)`, or if a header names
 * the events, a map from names to payloads, `github<EventPayloadMap>(…)`. Nothing checks it when a delivery arrives.
 *
 * `Others` are the bodies without a name that the sender may send to the same URL. They need not be in the type argument: the
 * events have them anyway.
 */
export interface SchemeFactory<
  Options extends SchemeOptions = SecretOptions,
  EventName extends string = never,
  Others = never,
> {
  (options: Options): Authenticator
  <Events extends EventsOf<EventName, Events>>(
    options: Options,
  ): TypedAuthenticator<WithOthers<Events, Others>, EventName>
  /** The scheme's definition. */
  readonly scheme: Scheme
  /** How it is called, for error messages: e.g. `stripe({ secrets })`. */
  readonly usage: string
}

/** What a factory with a type argument returns. */
export type TypedAuthenticator<Events, EventName extends string> = Authenticator &
  EventTypes<NamedEvents<Events, EventName>>

/** Code that few rows need. */
export interface RowParts extends AuthenticationParts, CompileParts {
  /** What else is asked of a secret: `warnOfCut`, for a row whose secrets have a known number of digits. */
  readonly checksSecret?: typeof warnOfCut
  /** `inEitherFamily`, for a row with `otherHeaders`, or what else chooses between two rows by the headers of a delivery. */
  readonly families?: typeof inEitherFamily
  /** What the checks ask of this sender alone, made from what the row was compiled to. */
  readonly differs?: (compiled: CompiledScheme) => Partial<CompiledScheme>
}

/** Makes a sender's factory from its row. `defineScheme` of `hookgate/schemes` checks the row first, for callers in plain JavaScript. */
/* @__NO_SIDE_EFFECTS__ */
export function schemeOf<
  Options extends SchemeOptions = SecretOptions,
  EventName extends string = never,
  Others = never,
>(scheme: Scheme, parts: RowParts = {}): SchemeFactory<Options, EventName, Others> {
  const factory = (options: Options): Authenticator => {
    checkSchemeOptions(scheme, options)
    const authOf = (row: Scheme): RowAuthenticator => {
      const authenticate = readSecrets(
        row,
        options,
        () => authenticateBy(row, options, parts),
        parts.checksSecret,
      )
      const compiled = compileScheme(row, options, parts)
      const protocol = parts.differs ? { ...compiled, ...parts.differs(compiled) } : compiled
      return Object.freeze({ method: 'scheme' as const, protocol, authenticate })
    }
    return parts.families?.(scheme, authOf) ?? authOf(scheme)
  }
  return Object.assign(factory, { scheme, usage: usageOf(scheme) })
}

/** For senders that are code, or a user's: what they need is not known. */
export const CODE_PARTS: Required<CompileParts> = {
  preAuth: PRE_AUTH_BODY,
  forms: FORMS,
  handshakes: handshakeAnswers,
  dates: parseTime,
}

/**
 * Makes the `auth` of a scheme from its `authenticate` function. `hookgate/explain` calls `withOptions` to try other options.
 *
 * @example
 * ```ts
 * const auth = senderAuthenticator(row, {}, async (evidence) =>
 *   (await isGenuine(evidence))
 *     ? { method: 'scheme', scheme: 'acme', secretId: 'key', covers: 'body' }
 *     : { reason: 'signature_mismatch', detail: 'the signature is wrong' },
 * )
 * ```
 */
export function senderAuthenticator(
  scheme: SenderScheme,
  options: SchemeOptions,
  authenticate: Authenticator['authenticate'],
  withOptions?: (options: SchemeOptions) => Authenticator,
): Authenticator {
  const protocol = compileScheme(scheme, options, CODE_PARTS)
  return Object.freeze({ method: 'scheme' as const, protocol, withOptions, authenticate })
}

/** Makes a listener's `auth`. The schemes that are code, such as `plaid`, have this type. */
export interface CodeSchemeFactory<Options extends SchemeOptions, EventName extends string = never> {
  (options: Options): Authenticator
  <Events extends EventsOf<EventName, Events>>(options: Options): TypedAuthenticator<Events, EventName>
  /** The scheme's definition. */
  readonly scheme: CodeScheme
  /** How it is called, for error messages: e.g. `plaid({ … })`. */
  readonly usage: string
}

/**
 * Defines a scheme by code. `compile` runs once per listener, with the checked options, and returns the function that
 * authenticates deliveries. That function sets `evidence.signed` to the signed bytes; if it does not, the body identifies the
 * event. It returns `authBy(secretId)` if the delivery is authentic.
 */
/* @__NO_SIDE_EFFECTS__ */
export function defineCodeScheme<Options extends SchemeOptions, EventName extends string = never>(
  scheme: CodeScheme,
  takes: OptionTable<NoInfer<Options>>,
  compile: (options: Options, authBy: (secretId: string) => EventAuth) => Authenticator['authenticate'],
): CodeSchemeFactory<Options, EventName> {
  const { name, covers } = scheme
  const authBy = (secretId: string): EventAuth => ({ method: 'scheme', scheme: name, secretId, covers })
  const factory = (options: Options): Authenticator => {
    checkOptions(name, options, takes)
    const authenticate = readSecrets(scheme, options, () => compile(options, authBy))
    return senderAuthenticator(scheme, options, authenticate, withOptions)
  }
  // Without `sign` the key is fetched. The other options stay those of this scheme.
  const withOptions = scheme.sign && ((options: SchemeOptions) => factory(options as Options))
  return Object.assign(factory, { scheme, usage: usageOf(scheme) })
}

/** The options that every scheme takes. */
export type CommonOptions = Pick<SchemeOptions, 'dedupe' | 'publicUrl'>

const FULL_URL = /^https?:\/\/[!-~]+$/

/** Checks a signed URL. It is not normalised, because the sender signs its exact bytes. @throws ListenerConfigError */
export const fullUrl: OptionCheck = (value, option) => {
  if (typeof value !== 'string' || !FULL_URL.test(value) || !URL.canParse(value)) {
    throw new ListenerConfigError(
      option,
      'must be the full URL that the sender calls, like https://example.com/hooks',
    )
  }
}

/** The rules of `CommonOptions`. */
export const COMMON_OPTIONS: OptionTable<CommonOptions> = {
  dedupe: /* @__PURE__ */ optional(/* @__PURE__ */ oneOfWords('id', 'signed-bytes', 'off')),
  publicUrl: /* @__PURE__ */ optional(fullUrl),
}

/** The options of a scheme that is code and has a shared secret, such as `adyen`. */
export type SharedSecretOptions = CommonOptions & Pick<SchemeOptions, 'secrets'>

/** The rules of `SharedSecretOptions`. */
export const SHARED_SECRET_OPTIONS: OptionTable<SharedSecretOptions> = {
  ...COMMON_OPTIONS,
  secrets: checkedElsewhere,
}

const TOPIC = /^[!-~]{1,256}$/

/** @throws ListenerConfigError */
const listOfTopics: OptionCheck = (value, option) => {
  const isTopic = (each: unknown) => typeof each === 'string' && TOPIC.test(each)
  if (Array.isArray(value) && value.every(isTopic)) return
  throw new ListenerConfigError(option, 'must be a list of topics, as their header has them')
}

const CHECKS = {
  ...SHARED_SECRET_OPTIONS,
  publicKeys: checkedElsewhere,
  topics: optional(listOfTopics),
  verifyToken: optional(secretText),
  onHandshake: optional(aFunction),
} as const satisfies { readonly [option in keyof SchemeOptions]: OptionCheck }

/** @throws ListenerConfigError for an option that the scheme does not take. */
function checkSchemeOptions(scheme: Scheme, options: SchemeOptions): void {
  const { name, takes = [] } = scheme
  const names = new Set<keyof typeof CHECKS>(['secrets', 'dedupe', 'publicUrl', ...takes])
  if (scheme.publicKey || hasKeyPair(scheme)) names.add('publicKeys')
  if (scheme.topics) names.add('topics')
  const table = Object.fromEntries([...names].map((option) => [option, CHECKS[option]]))
  checkOptions(name, options, signsUrl(scheme) ? { ...table, publicUrl: fullUrl } : table)
}
