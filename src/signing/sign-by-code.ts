import { ListenerConfigError } from '../errors.ts'
import { parseJson } from '../lib/json-text.ts'
import type { CodeScheme } from '../scheme/code-scheme.ts'
import type { SignedParts, Unsigned } from '../scheme/code-signer.ts'
import { bodyBytes } from './body.ts'
import type { SignAsOptions } from './sign-as-options.ts'

/**
 * Signs with a scheme's own code. @throws ListenerConfigError (as a rejection) if the scheme has none, or if
 * an option is missing.
 */
export async function signByCode(
  { name, sign }: CodeScheme,
  options: SignAsOptions,
  known: Pick<Unsigned, 'contentType' | 'timestampText' | 'eventId'>,
): Promise<SignedParts> {
  if (sign === undefined) {
    throw new ListenerConfigError('signAs', `cannot sign as ${name}: only the sender holds its key`)
  }
  const body = bodyBytes(options.body)
  return await sign({
    ...known,
    body,
    json() {
      const parsed = parseJson(body)
      if ('problem' in parsed) throw new ListenerConfigError('body', `must be JSON to sign as ${name}`)
      return parsed.value
    },
    need(option) {
      const given = options[option]
      if (given === undefined) throw new ListenerConfigError(option, `signing as ${name} needs ${option}`)
      return given
    },
  })
}
