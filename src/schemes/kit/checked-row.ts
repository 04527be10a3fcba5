import { ListenerConfigError } from '../../errors.ts'
import { memberOf, textOf } from '../../lib/member-of.ts'
import {
  aBoolean,
  aFunction,
  checkedElsewhere,
  checkOptions,
  type OptionCheck,
  type OptionTable,
  oneOfWords,
  optional,
  positiveInteger,
  positiveSeconds,
  wellFormedText,
  withMethods,
} from '../../lib/options.ts'
import type { Scheme, SchemeOptions } from '../../scheme.ts'
import { type SchemeFactory, type SecretOptions, schemeOf } from './define-scheme.ts'
import { ALL_PARTS } from './row-parts.ts'

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
 * @throws ListenerConfigError for a row with a wrong or missing member. The returned function throws it for a missing, blank or
 * malformed secret, and for unknown options.
 */
export function defineScheme<Options extends SchemeOptions = SecretOptions, EventName extends string = never>(
  scheme: Scheme,
): SchemeFactory<Options, EventName> {
  checkOptions('defineScheme', scheme, ROW)
  return schemeOf(scheme, ALL_PARTS)
}

const aText: OptionCheck = (value, option) => {
  if (typeof value !== 'string') throw new ListenerConfigError(option, 'must be text')
}

const aPlace: OptionCheck = (value, option) => {
  if (['header', 'item', 'member'].some((place) => textOf(value, place) !== undefined)) return
  throw new ListenerConfigError(option, 'must be { header }, { item } or { member }')
}

const aList: OptionCheck = (value, option) => {
  if (!Array.isArray(value)) throw new ListenerConfigError(option, 'must be a list')
}

/** @throws ListenerConfigError for a name in upper case, or one of both families. */
function namesOfHeaders(value: unknown, option: string): void {
  const names: readonly unknown[] = Array.isArray(value) ? [] : Object.entries(value ?? {}).flat()
  const isLowerCase = (name: unknown) => typeof name === 'string' && name === name.toLowerCase()
  if (names.length > 0 && names.every(isLowerCase) && new Set(names).size === names.length) return
  throw new ListenerConfigError(option, 'must be names in lower case, each once, like { "x-a": "a" }')
}

/** The members of a row, which plain JavaScript may misspell, leave out, or give another type. */
const ROW: OptionTable<Scheme> = {
  name: wellFormedText,
  sender: aText,
  secretName: aText,
  secretPrefix: optional(wellFormedText),
  secretMadeBy: optional(oneOfWords('sender', 'user')),
  algorithm: oneOfWords(
    'hmac-sha256',
    'hmac-sha1',
    'hmac-sha384',
    'hmac-sha512',
    'ed25519',
    'ecdsa-p256-sha256',
    'ecdsa-p384-sha384',
    'rsa-v1_5-sha256',
    'rsa-v1_5-sha384',
    'rsa-pss-sha256',
    'rsa-pss-sha384',
    'token',
  ),
  key(value, option) {
    if (textOf(value, 'base64After') === undefined) oneOfWords('text', 'hex', 'base64')(value, option)
  },
  signature(value, option) {
    const headers = memberOf(value, 'headers')
    const isLowerCase = (name: unknown) => typeof name === 'string' && name === name.toLowerCase()
    if (!Array.isArray(headers) || !headers.every(isLowerCase)) {
      throw new ListenerConfigError(`${option}.headers`, 'must be a list of names in lower case')
    }
    const spelling = memberOf(value, 'spelling')
    optional(oneOfWords('hex', 'upper-case-hex', 'base64', 'base64url'))(spelling, `${option}.spelling`)
    optional(oneOfWords('p1363'))(memberOf(value, 'ecdsa'), `${option}.ecdsa`)
    const query = memberOf(value, 'query')
    optional(wellFormedText)(query, `${option}.query`)
    if (query !== undefined && (headers.length > 0 || memberOf(value, 'member') !== undefined)) {
      throw new ListenerConfigError(`${option}.query`, 'does not go with headers or member: set one of them')
    }
  },
  signs(value, option) {
    if (typeof value !== 'function') wellFormedText(value, option)
  },
  otherHeaders: optional(namesOfHeaders),
  publicKey: checkedElsewhere,
  timestamp: optional((value, option) => {
    aPlace(value, option)
    oneOfWords(
      'seconds',
      'milliseconds',
      'rfc3339',
      'utc',
      'http-date',
    )(memberOf(value, 'unit'), `${option}.unit`)
    oneOfWords('attempt', 'event')(memberOf(value, 'of'), `${option}.of`)
  }),
  eventId: optional(aPlace),
  claimedId: optional(aFunction),
  eventType: optional(aPlace),
  topics: optional(aList),
  dedupe: optional(oneOfWords('id', 'signed-bytes', 'signed-bytes-per-topic', 'signed-bytes-and-id', 'off')),
  bodiesRepeat: optional(aBoolean),
  methods: optional(aList),
  content: optional(aList),
  jsonField: optional(wellFormedText),
  maxBodyBytes: positiveInteger,
  maxFields: optional(positiveInteger),
  leaseSeconds: optional(positiveSeconds),
  maxRunSeconds: optional(positiveSeconds),
  fixedHeaders: checkedElsewhere,
  signAsHeaders: checkedElsewhere,
  handshake: optional(withMethods(['answer'])),
  signedUrl: optional(aFunction),
  takes: optional(aList),
  limits: aText,
  facts: checkedElsewhere,
  covers: optional(oneOfWords('body', 'values', 'token', 'nothing')),
}
