import type { SenderScheme } from '../../src/scheme/index.ts'
import { UsageError } from '../command-line/exit.ts'

/** The public name of a secret, as `--key-id` gives it. */
export interface KeyIdValues {
  readonly scheme?: string
  readonly 'key-id'?: string
}

export const KEY_ID_OPTION = {
  value: 'TEXT',
  says: "The public name of the secret: LiveKit's API key, Braintree's public key",
} as const

/** @throws UsageError for a `--key-id` without `--scheme`. */
export function checkKeyIdHasScheme(given: KeyIdValues): void {
  if (given['key-id'] === undefined || given.scheme !== undefined) return
  throw new UsageError('--key-id is for schemes that name their secret: add --scheme livekit or braintree')
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
