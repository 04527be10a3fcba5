import type { SecretForm } from '../scheme/secret-mistakes.ts'

const FEW_CHARACTERS = 8

/** Words, one of which is for trying. */
const WORDS =
  /^(?:[a-z]+[-_ .])*(?:secret|password|passwd|test|testing|trying|example|sample|placeholder|todo|tbd|fixme|dummy|fake|demo|foo|foobar|default|admin|here)(?:[-_ .]?[a-z]*[0-9]{0,4})?$/i

/** What is odd about a secret that no rule refuses. It may be right. The first that fits is reported. */
export function oddSecret(secret: string, { prefix = '' }: SecretForm): string | undefined {
  const bare = secret.startsWith(prefix) ? secret.slice(prefix.length) : secret
  if (WORDS.test(bare)) return 'is made of words, as a placeholder is'
  if (new Set(bare).size < FEW_CHARACTERS) return 'is easy to guess'
  if (/\s/.test(secret)) return 'has a space in it'
  if (secret.startsWith('whsec_') && prefix !== 'whsec_')
    return 'is one of Stripe or Standard Webhooks (whsec_…)'
  return secret.startsWith(prefix) ? undefined : `does not begin with ${prefix}`
}

/** Words a mistake as a guess: "is a placeholder" becomes "looks like a placeholder". */
export function looksLike(mistake: string): string {
  return /^is (?:an?|the|one) /.test(mistake)
    ? mistake.replace('is', 'looks like')
    : `looks wrong: it ${mistake}`
}
