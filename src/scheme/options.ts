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
import type { Scheme } from './scheme.ts'
import type { SchemeOptions } from './scheme-options.ts'

/** What every scheme takes. */
export type CommonOptions = Pick<SchemeOptions, 'dedupe' | 'publicUrl'>

const PRINTABLE_ASCII = /^[!-~]+$/

/** As the sender writes it: its bytes are signed. @throws ListenerConfigError */
export const fullUrl: OptionCheck = (value, option) => {
  const isUrl = typeof value === 'string' && PRINTABLE_ASCII.test(value) && /^https?:\/\//.test(value)
  if (!isUrl || !URL.canParse(value)) {
    throw new ListenerConfigError(
      option,
      'must be the full URL that the sender calls, like https://example.com/hooks',
    )
  }
}

/** The rules for what every scheme takes. */
export const COMMON_OPTIONS: OptionTable<CommonOptions> = {
  dedupe: /* @__PURE__ */ optional(/* @__PURE__ */ oneOfWords('id', 'signed bytes', 'off')),
  publicUrl: /* @__PURE__ */ optional(fullUrl),
}

/** What a code scheme takes whose sender shares a secret with you. */
export type SharedSecretOptions = CommonOptions & Pick<SchemeOptions, 'secrets'>

/** The rules for that. */
export const SHARED_SECRET_OPTIONS: OptionTable<SharedSecretOptions> = {
  ...COMMON_OPTIONS,
  secrets: checkedElsewhere,
}

const CHECKS = {
  ...SHARED_SECRET_OPTIONS,
  publicKeys: checkedElsewhere,
  verifyToken: optional(wellFormedText),
  onHandshake: optional(aFunction),
} as const satisfies { readonly [option in keyof SchemeOptions]: OptionCheck }

/** @throws ListenerConfigError for an option that is unknown, or that this scheme does not take. */
export function checkSchemeOptions(scheme: Scheme, options: SchemeOptions): void {
  const { name, takes = [] } = scheme
  const names = new Set<keyof typeof CHECKS>(['secrets', 'dedupe', 'publicUrl', ...takes])
  if (scheme.publicKey || scheme.algorithm === 'ed25519' || scheme.algorithm === 'ecdsa-p256-sha256') {
    names.add('publicKeys')
  }
  const signsUrl = takes.includes('publicUrl') || String(scheme.signs).includes('{url}')
  const table = Object.fromEntries([...names].map((option) => [option, CHECKS[option]]))
  checkOptions(name, options, signsUrl ? { ...table, publicUrl: fullUrl } : table)
}
