import type { Authentication, Authenticator } from '../auth/authenticator.ts'
import type { Attempt } from '../checks/check.ts'
import type { EventAuth } from '../event.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { checkOptions, type OptionTable } from '../lib/options.ts'
import type { CodeScheme } from './code-scheme.ts'
import { senderAuthenticator } from './define-scheme.ts'
import type { SchemeOptions } from './scheme.ts'

/** Makes a listener's `auth`. `scheme` is the data that it was defined by. */
export interface CodeSchemeFactory<Options extends SchemeOptions> {
  (options: Options): Authenticator
  readonly scheme: CodeScheme
}

/**
 * Defines a scheme by code. `compile` gets the checked options, once a listener, and gives what authenticates deliveries.
 * That leaves the signed bytes on the attempt as `signed`; where it leaves none, the body is claimed.
 */
/* @__NO_SIDE_EFFECTS__ */
export function defineCodeScheme<Options extends SchemeOptions>(
  scheme: CodeScheme,
  takes: OptionTable<Options>,
  compile: (options: Options) => (attempt: Attempt) => MaybePromise<Authentication>,
): CodeSchemeFactory<Options> {
  const factory = (options: Options) => {
    checkOptions(scheme.name, options, takes)
    return senderAuthenticator(scheme, options, compile(options))
  }
  return Object.assign(factory, { scheme })
}

/** What `event.auth` says of a delivery that a code scheme vouches for. */
export function vouchedBy({ name, covers }: CodeScheme, secretId: string): EventAuth {
  return { method: 'scheme', scheme: name, secretId, covers }
}
