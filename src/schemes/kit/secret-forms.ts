import { namedSecrets } from '../../auth/secrets.ts'
import { ListenerConfigError } from '../../errors.ts'
import type { OptionCheck } from '../../lib/options.ts'
import type { SenderScheme } from './code-scheme.ts'
import { hasKeyPair } from './compile-scheme.ts'
import type { SchemeOptions } from './scheme.ts'
import { type SecretForm, secretMistake } from './secret-mistakes.ts'

/** How every secret of the sender begins, if its console shows them so. */
export function prefixOf(scheme: SenderScheme): string | undefined {
  const key = scheme.algorithm === 'code' ? 'text' : scheme.key
  return typeof key === 'object' ? key.base64After : scheme.secretPrefix
}

/** Whether the sender makes the secrets. Users choose none that has a prefix. */
export function isMadeBySender(scheme: SenderScheme): boolean {
  return (scheme.secretMadeBy ?? (prefixOf(scheme) ? 'sender' : 'user')) === 'sender'
}

/** What a sender's secret looks like. */
export function secretFormOf(scheme: SenderScheme): SecretForm {
  return { ...scheme.facts, prefix: prefixOf(scheme) ?? scheme.facts?.usualPrefix }
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
      if (isMadeBySender(scheme) && options[option] !== undefined)
        namedSecrets(options[option], option, refuseMistake)
    }
    return read()
  } catch (error) {
    if (!(error instanceof ListenerConfigError)) throw error
    const [option, problem] = [error.option, error.message.slice(error.option.length + 2)]
    const [place] = /^(secrets|publicKeys)\b/.exec(option) ?? []
    if (place === undefined) throw error
    const { sender, secretName } = scheme
    const isUnset = (options.secrets ?? options.publicKeys ?? undefined) === undefined
    const what = isUnset
      ? `${factoryNameOf(scheme)}({ ${'publicKeys' in options ? 'publicKeys' : place} }) `
      : ''
    throw new ListenerConfigError(option, `${what}${problem}; for ${sender}, pass the ${secretName}`)
  }
}

/** The name of the scheme's factory: its own in camelCase. */
function factoryNameOf({ name }: SenderScheme): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
}

/** How the scheme's factory is called, e.g. `stripe({ secrets })`. */
export function usageOf(scheme: SenderScheme): string {
  const option = scheme.algorithm === 'code' ? '…' : hasKeyPair(scheme) ? 'publicKeys' : 'secrets'
  return `${factoryNameOf(scheme)}({ ${option} })`
}
