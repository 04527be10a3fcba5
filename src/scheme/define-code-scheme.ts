import type { Authentication, Authenticator } from '../auth/authenticator.ts'
import type { Evidence } from '../auth/evidence.ts'
import type { EventAuth } from '../event.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { checkOptions, type OptionTable } from '../lib/options.ts'
import type { CodeScheme } from './code-scheme.ts'
import { senderAuthenticator } from './define-scheme.ts'
import { refuseOtherKeys } from './options.ts'
import type { SchemeOptions } from './scheme-options.ts'

/**
 * Makes a listener's `auth`. The schemes that are code, such as `plaid`, have this type.
 *
 * @see {@link senderAuthenticator}
 */
export interface CodeSchemeFactory<Options extends SchemeOptions> {
  (options: Options): Authenticator
  /** The scheme's definition. */
  readonly scheme: CodeScheme
}

/**
 * Defines a scheme by code. `compile` runs once per listener, with the checked options, and returns the function that
 * authenticates deliveries. That function sets `evidence.signed` to the signed bytes; if it does not, the body identifies the
 * event.
 */
/* @__NO_SIDE_EFFECTS__ */
export function defineCodeScheme<Options extends SchemeOptions>(
  scheme: CodeScheme,
  takes: OptionTable<Options>,
  compile: (options: Options) => (evidence: Evidence) => MaybePromise<Authentication>,
): CodeSchemeFactory<Options> {
  const factory = (options: Options) => {
    checkOptions(scheme.name, options, takes)
    refuseOtherKeys(scheme, options)
    return senderAuthenticator(scheme, options, compile(options))
  }
  return Object.assign(factory, { scheme })
}

/** The `event.auth` of a delivery that a code scheme has authenticated. */
export function vouchedBy({ name, covers }: CodeScheme, secretId: string): EventAuth {
  return { method: 'scheme', scheme: name, secretId, covers }
}
