import { namedSecrets } from '../auth/secrets.ts'
import { ListenerConfigError } from '../errors.ts'
import type { OptionCheck } from '../lib/options.ts'
import type { SenderScheme } from './code-scheme.ts'
import type { SchemeOptions } from './scheme.ts'
import { type SecretForm, secretMistake } from './secret-mistakes.ts'

/** How every secret of the sender begins, if its console shows them so. */
export function prefixOf(scheme: SenderScheme): string | undefined {
  const key = scheme.algorithm === 'code' ? 'text' : scheme.key
  return typeof key === 'object' ? key.base64After : scheme.secretPrefix
}

/** What a sender's secret looks like. */
export function secretFormOf(scheme: SenderScheme): SecretForm {
  const { facts } = scheme
  return { ...facts, prefix: prefixOf(scheme) ?? facts?.usualPrefix }
}

/**
 * Reads the secrets of the options. Refuses what the sender cannot have made, unless you choose its secrets.
 *
 * @throws ListenerConfigError that names the sender and what its console calls the secret.
 */
export function readSecrets<Value>(scheme: SenderScheme, options: SchemeOptions, read: () => Value): Value {
  const form = secretFormOf(scheme)
  const refuseMistake: OptionCheck = (secret, place) => {
    const mistake = typeof secret === 'string' && secret.trim() && secretMistake(secret, form)
    if (mistake) throw new ListenerConfigError(place, mistake)
  }
  try {
    for (const option of ['secrets', 'publicKeys'] as const) {
      if (scheme.secretMadeBy === 'sender' && options[option] !== undefined)
        namedSecrets(options[option], option, refuseMistake)
    }
    return read()
  } catch (error) {
    const [, option] =
      (error instanceof ListenerConfigError && /^(secrets|publicKeys)\b/.exec(error.option)) || []
    if (!(error instanceof ListenerConfigError) || (option !== 'secrets' && option !== 'publicKeys'))
      throw error
    const { name, sender, secretName } = scheme
    const isUnset = (options[option] ?? undefined) === undefined
    const factory = name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
    const what = isUnset ? `${factory}({ ${option} }) ` : ''
    const problem = error.message.slice(error.option.length + 2)
    throw new ListenerConfigError(error.option, `${what}${problem}; for ${sender}, pass the ${secretName}`)
  }
}
