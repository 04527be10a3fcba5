import type { SenderScheme } from '../schemes/kit/code-scheme.ts'
import { isMadeBySender, prefixOf } from '../schemes/kit/secret-forms.ts'
import { strayCharacter } from '../schemes/kit/secret-mistakes.ts'

const FEW_CHARACTERS = 4
/** Senders make tokens of visible ASCII. */
const NO_TOKEN = /[^!-~]/
/** Pasted twice. */
const TWICE = /^(.{20,})\W*\1$/s
const WHSEC = 'whsec_'

/** Words, as placeholders are. Not those of the examples in the pages, which end with `trying`. */
const WORDS =
  /^(?:[a-z]+[-_ .])*(?:secret|password|passwd|test|testing|example|sample|placeholder|todo|tbd|fixme|dummy|fake|demo|foo|foobar|default|admin|here)(?:[-_ .]?[a-z]*[0-9]{0,4})?$/i

/** What is odd about a secret that no rule refuses. It may be right. The first that fits is reported. */
export function oddSecret(secret: string, scheme: SenderScheme): string | undefined {
  const { secretPrefix = '', sender, signature } = scheme
  const prefix = prefixOf(scheme) ?? ''
  const bare = secret.startsWith(prefix) ? secret.slice(prefix.length) : secret
  if (WORDS.test(bare)) return 'is made of words, as a placeholder is'
  if (new Set(bare).size < FEW_CHARACTERS) return 'is easy to guess'
  const stray = isMadeBySender(scheme) ? strayCharacter(secret, NO_TOKEN) : undefined
  if (stray) return stray
  if (TWICE.test(bare)) return 'is the same text twice; remove one'
  const mayBeWhsec = prefix === WHSEC || signature.headers.includes('webhook-signature')
  if (secret.startsWith(WHSEC) && !mayBeWhsec) return `is one of Stripe or Standard Webhooks (${WHSEC}…)`
  return secret.startsWith(secretPrefix)
    ? undefined
    : `does not begin with ${secretPrefix}, as secrets of ${sender} do`
}

/** Words a mistake as a guess: "is a placeholder" becomes "looks like a placeholder". */
export function looksLike(mistake: string): string {
  return /^is (?:an?|the|one) /.test(mistake)
    ? mistake.replace('is', 'looks like')
    : `looks wrong: it ${mistake}`
}
