import { namedSecrets } from '../auth/secrets.ts'
import { ListenerConfigError } from '../errors.ts'
import type { SenderScheme } from './code-scheme.ts'
import type { SchemeOptions } from './scheme.ts'

/** How Stripe and others begin the keys of their APIs. */
export const API_KEY: RegExp = /^(?:sk|rk|pk)_(?:live|test)_/

/** How every secret of the sender begins, if its console shows them so. */
export function prefixOf(scheme: SenderScheme): string | undefined {
  const key = scheme.algorithm === 'code' ? 'text' : scheme.key
  return typeof key === 'object' ? key.base64After : scheme.secretPrefix
}

/**
 * Reads the secrets of the options. Refuses what cannot be the sender's secret by its form: another of its keys, or a prefix
 * alone.
 *
 * @throws ListenerConfigError that names the sender and what its console calls the secret.
 */
export function readSecrets<Value>(
  scheme: SenderScheme,
  { secrets, publicKeys }: SchemeOptions,
  read: () => Value,
): Value {
  try {
    for (const [option, given] of Object.entries({ secrets, publicKeys })) {
      if (given !== undefined)
        namedSecrets(given, option, (secret, place) => checkForm(secret, place, scheme))
    }
    return read()
  } catch (error) {
    const isOfKey = error instanceof ListenerConfigError && /^(?:secrets|publicKeys)\b/.test(error.option)
    if (!isOfKey) throw error
    const problem = error.message.slice(error.option.length + 2)
    const { sender, secretName } = scheme
    throw new ListenerConfigError(error.option, `${problem}; for ${sender}, pass the ${secretName}`)
  }
}

function checkForm(secret: unknown, place: string, scheme: SenderScheme): void {
  if (typeof secret !== 'string') return // said by `read`
  const { secretIsChosen, otherKeys = {} } = scheme.facts ?? {}
  const prefix = prefixOf(scheme)
  const other = secretIsChosen
    ? undefined
    : Object.entries(otherKeys).find(([beginning]) => secret.startsWith(beginning))
  if (other) throw new ListenerConfigError(place, `is ${other[1]}`)
  if (prefix === undefined) return
  if (API_KEY.test(secret)) throw new ListenerConfigError(place, 'is an API key')
  if (secret === prefix) throw new ListenerConfigError(place, `has nothing after ${prefix}`)
}
