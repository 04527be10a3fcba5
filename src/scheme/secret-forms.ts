import { namedSecrets, type Secrets } from '../auth/secrets.ts'
import { ListenerConfigError } from '../errors.ts'
import type { SenderScheme } from './code-scheme.ts'
import type { SchemeOptions } from './scheme.ts'

/** How Stripe and others begin the keys of their APIs. */
export const API_KEY: RegExp = /^(?:sk|rk|pk)_(?:live|test)_/

/**
 * Refuses what cannot be the sender's secret by its form: another of its keys, or a prefix alone.
 *
 * @throws ListenerConfigError that names the sender and what its console calls the secret.
 */
export function refuseOtherSecrets(scheme: SenderScheme, { secrets, publicKeys }: SchemeOptions): void {
  withSecretName(scheme, () => {
    refuse(scheme, 'secrets', secrets)
    refuse(scheme, 'publicKeys', publicKeys)
  })
}

function refuse(scheme: SenderScheme, option: string, given: Secrets | undefined): void {
  if (given === undefined) return
  namedSecrets(given, option, (secret, place) => {
    const problem = typeof secret === 'string' ? problemOf(secret, scheme) : undefined
    if (problem !== undefined) throw new ListenerConfigError(place, problem)
  })
}

/** How every secret of the sender begins, if its console shows them so. */
export function prefixOf(scheme: SenderScheme): string | undefined {
  const key = scheme.algorithm === 'code' || !('key' in scheme) ? 'text' : scheme.key
  return typeof key === 'object' ? key.base64After : scheme.secretPrefix
}

function problemOf(secret: string, scheme: SenderScheme): string | undefined {
  const { facts = {} } = scheme
  const prefix = prefixOf(scheme)
  const other = facts.secretIsChosen ? undefined : otherKeyOf(secret, facts.otherKeys)
  if (other !== undefined) return `is ${other}`
  if (prefix !== undefined && API_KEY.test(secret)) return 'is an API key'
  if (prefix !== undefined && secret === prefix) return `has nothing after ${prefix}`
  return undefined
}

/** What another key of the sender is, by how it begins. */
function otherKeyOf(
  secret: string,
  otherKeys: { readonly [beginning: string]: string } = {},
): string | undefined {
  return Object.entries(otherKeys).find(([beginning]) => secret.startsWith(beginning))?.[1]
}

/** Adds to the errors of `read` whose secret it is, and what the sender's console calls it. */
export function withSecretName<Value>({ sender, secretName }: SenderScheme, read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    const isOfKey = error instanceof ListenerConfigError && /^(?:secrets|publicKeys)\b/.test(error.option)
    if (!isOfKey) throw error
    const problem = error.message.slice(error.option.length + 2)
    throw new ListenerConfigError(error.option, `${problem}; for ${sender}, pass the ${secretName}`)
  }
}
