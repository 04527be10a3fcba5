import { namedSecrets } from '../auth/secrets.ts'
import { ListenerConfigError } from '../errors.ts'
import {
  aFunction,
  checkedElsewhere,
  checkOptions,
  type OptionCheck,
  type OptionTable,
  oneOfWords,
  optional,
  wellFormedText,
} from '../lib/options.ts'
import type { SenderScheme } from './code-scheme.ts'
import type { Scheme } from './scheme.ts'
import type { SchemeOptions } from './scheme-options.ts'

/** The options that every scheme takes. */
export type CommonOptions = Pick<SchemeOptions, 'dedupe' | 'publicUrl'>

const PRINTABLE_ASCII = /^[!-~]+$/

/** Checks a signed URL. It is not normalised, because the sender signs its exact bytes. @throws ListenerConfigError */
export const fullUrl: OptionCheck = (value, option) => {
  const isUrl = typeof value === 'string' && PRINTABLE_ASCII.test(value) && /^https?:\/\//.test(value)
  if (!isUrl || !URL.canParse(value)) {
    throw new ListenerConfigError(
      option,
      'must be the full URL that the sender calls, like https://example.com/hooks',
    )
  }
}

/** The rules of `CommonOptions`. */
export const COMMON_OPTIONS: OptionTable<CommonOptions> = {
  dedupe: /* @__PURE__ */ optional(/* @__PURE__ */ oneOfWords('id', 'signed bytes', 'off')),
  publicUrl: /* @__PURE__ */ optional(fullUrl),
}

/**
 * The options of a scheme that is code and has a shared secret, such as `adyen`.
 *
 * @see {@link senderAuthenticator}
 */
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
  verifyToken: optional(wellFormedText),
  onHandshake: optional(aFunction),
} as const satisfies { readonly [option in keyof SchemeOptions]: OptionCheck }

/** @throws ListenerConfigError for an option that the scheme does not take. */
export function checkSchemeOptions(scheme: Scheme, options: SchemeOptions): void {
  const { name, takes = [] } = scheme
  const names = new Set<keyof typeof CHECKS>(['secrets', 'dedupe', 'publicUrl', ...takes])
  if (scheme.publicKey || scheme.algorithm === 'ed25519' || scheme.algorithm === 'ecdsa-p256-sha256') {
    names.add('publicKeys')
  }
  if (scheme.topics) names.add('topics')
  const signsUrl = takes.includes('publicUrl') || String(scheme.signs).includes('{url}')
  const table = Object.fromEntries([...names].map((option) => [option, CHECKS[option]]))
  checkOptions(name, options, signsUrl ? { ...table, publicUrl: fullUrl } : table)
  refuseOtherKeys(scheme, options)
}

/** How Stripe and others begin the keys of their APIs. */
const API_KEY = /^(?:sk|rk|pk)_(?:live|test)_/

/** @throws ListenerConfigError for another key of the sender, or for a prefix without a secret. */
export function refuseOtherKeys(scheme: SenderScheme, { secrets }: SchemeOptions): void {
  const key = scheme.algorithm === 'code' ? undefined : scheme.key
  const prefix = typeof key === 'object' ? key.base64After : scheme.secretPrefix
  if (prefix === undefined || secrets === undefined) return
  namedSecrets(secrets, 'secrets', (secret, option) => {
    const isApiKey = typeof secret === 'string' && API_KEY.test(secret)
    if (!isApiKey && secret !== prefix) return
    const problem = isApiKey ? 'is an API key' : `has nothing after ${prefix}`
    throw new ListenerConfigError(option, `${problem}; for ${scheme.sender}, pass the ${scheme.secretName}`)
  })
}
