import { namedSecrets } from '../../auth/secrets.ts'
import type { SenderScheme } from '../../code-scheme.ts'
import { ListenerConfigError } from '../../errors.ts'
import type { OptionCheck } from '../../lib/options.ts'
import type { KeyForm, SchemeOptions } from '../../scheme.ts'
import { hasKeyPair } from './compile-scheme.ts'
import { cutShort, type warnOfCut } from './cut-secrets.ts'
import { withoutVersion } from './keys.ts'

/** The sender's form of a secret, and what is mistaken for it. */
export interface SecretForm {
  /** How every secret begins. */
  readonly prefix?: string | undefined
  /** The sender's other keys and IDs: how they begin, and what they are. */
  readonly otherKeys?: { readonly [beginning: string]: string } | undefined
  /** The encoding of the secret. */
  readonly key?: KeyForm
  /** The sender signs with the key of its API. */
  readonly signsWithApiKey?: true | undefined
}

const keyOf = (scheme: SenderScheme) => (scheme.algorithm === 'code' ? 'text' : scheme.key)

/** How every secret of the sender begins, if its console shows them so. */
export function prefixOf(scheme: SenderScheme): string | undefined {
  const key = keyOf(scheme)
  return typeof key === 'object' ? key.base64After : scheme.secretPrefix
}

/** Whether the sender makes the secrets. Users choose none that has a prefix. */
export function isMadeBySender(scheme: SenderScheme): boolean {
  return (scheme.secretMadeBy ?? (prefixOf(scheme) ? 'sender' : 'user')) === 'sender'
}

/** What a sender's secret looks like. */
export function secretFormOf(scheme: SenderScheme): SecretForm {
  return { ...scheme.facts, key: keyOf(scheme), prefix: prefixOf(scheme) ?? scheme.facts?.usualPrefix }
}

/**
 * Reads the secrets of the options. Refuses what the sender cannot have made, unless you choose its secrets.
 *
 * @throws ListenerConfigError that names the sender and what its console calls the secret.
 */
export function readSecrets<Value>(
  scheme: SenderScheme,
  options: SchemeOptions,
  read: () => Value,
  check?: typeof warnOfCut,
): Value {
  const form = secretFormOf(scheme)
  const isMade = isMadeBySender(scheme)
  const refuseMistake: OptionCheck = (secret, place) => {
    if (typeof secret !== 'string' || secret.trim() === '') return
    const mistake = isMade && secretMistake(secret, form)
    if (mistake) throw new ListenerConfigError(place, mistake)
    check?.(scheme, place, secret, usageOf(scheme))
  }
  try {
    for (const option of ['secrets', 'publicKeys'] as const) {
      if ((isMade || check) && options[option] !== undefined)
        namedSecrets(options[option], option, refuseMistake)
    }
    return read()
  } catch (error) {
    if (!(error instanceof ListenerConfigError)) throw error
    const { option } = error
    const [place] = /^(secrets|publicKeys)\b/.exec(option) ?? []
    if (place === undefined) throw error
    const { sender, secretName } = scheme
    const isUnset = (options.secrets ?? options.publicKeys ?? undefined) === undefined
    const what = isUnset
      ? `${factoryNameOf(scheme)}({ ${'publicKeys' in options ? 'publicKeys' : place} }) `
      : ''
    throw new ListenerConfigError(option, `${what}${error.problem}; for ${sender}, pass the ${secretName}`)
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

/** How Stripe and others begin the keys of their APIs. */
const API_KEY = /^(sk|rk|pk)_(live|test)_/

/** What no sender makes, without its prefix. The first that fits is reported. */
const RULES: readonly (readonly [mistaken: RegExp, is: string])[] = [
  [/^-----BEGIN|^\w+:\/\/|^eyJ[^.]+\.|^[{[]"/, 'is a PEM, a URL, a JWT or JSON'],
  [/^(export )?([A-Z]\w*|[a-z]+_\w+)=["']?[\w$/+{<]/m, 'is from a .env file; pass only what follows the ='],
  [/^[$%{]|\benv(iron)?[.[]/i, 'is a placeholder: the name of a variable; pass its value'],
  [
    /^([a-z]+_)*([[<](?!object ).*|[x-]{3,}|(change|your|replace|insert|paste)[-_ ]?(me|.*(secret|key|token|here)).*)$|x{8}|[•…]|\.{3}|\*{3}/i,
    'is a placeholder or a masked secret',
  ],
  [/^["'`]|["'`]$/, 'has quotes around it; remove them'],
  [/\\[nrt]$/, 'ends with \\n as text; remove it'],
  [/#| \/\//, 'has a comment behind it; remove it'],
  [/[,;|]/, 'has a comma or another secret behind it; pass two secrets as a list'],
]

/** What even a text that you choose rarely holds. */
const STRAY = /^ | $|(?! )[\p{C}\p{Z}‘-‟\ufffd]/u
const BLANKS = ' \t\n\r\xa0\u200b\ufeff'
const NAMES =
  /* @__PURE__ */ 'space,tab,line break,line break,no-break space,zero-width space,byte order mark'.split(',')

/**
 * Finds why the sender cannot have made a secret: the problem, and what to do. If you choose the secret yourself, it may be one
 * all the same. Never contains more of the secret than a prefix that everybody knows, and one stray character.
 */
export function secretMistake(
  given: string,
  { prefix = '', key = 'text', otherKeys = {}, signsWithApiKey }: SecretForm,
): string | undefined {
  const secret = withoutVersion(key, given)
  const other = Object.entries(otherKeys).find(([beginning]) => secret.startsWith(beginning))
  if (other) return `is ${other[1]}`
  if (!signsWithApiKey && API_KEY.test(secret)) return 'is an API key'
  const bare = withoutPrefix(secret, prefix)
  if (/^=*$/.test(bare)) return `has nothing after ${prefix}`
  // A short prefix, such as sig_, may also occur by chance.
  const isTwice = prefix.length > 4 ? secret.split(prefix).length > 2 : prefix && bare.startsWith(prefix)
  if (isTwice) return `has ${prefix} twice; remove one, or pass two secrets as a list`
  return RULES.find(([mistaken]) => mistaken.test(bare))?.[1] ?? strayCharacter(secret, STRAY)
}

function withoutPrefix(secret: string, prefix: string): string {
  return secret.startsWith(prefix) ? secret.slice(prefix.length) : secret
}

/** Names the first character that is stray, and where it is. */
function strayCharacter(text: string, stray: RegExp): string | undefined {
  const at = text.search(stray)
  if (at < 0) return undefined
  const character = text.charAt(at)
  const code = text.codePointAt(at)?.toString(16).toUpperCase().padStart(4, '0')
  const name =
    NAMES[BLANKS.indexOf(character)] ?? (/[‘-‟]/.test(character) ? 'curly quote' : `character U+${code}`)
  const isLast = at >= Math.min(text.trimEnd().length, text.length - 1)
  return `has a ${name} ${at === 0 ? 'at its start' : isLast ? 'at its end' : 'in it'}; remove it`
}

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
export function oddSecret(given: string, scheme: SenderScheme): string | undefined {
  const secret = withoutVersion(keyOf(scheme), given)
  const { secretPrefix = '', sender, signature } = scheme
  const prefix = prefixOf(scheme) ?? ''
  const bare = withoutPrefix(secret, prefix)
  if (WORDS.test(bare)) return 'is made of words, as a placeholder is'
  if (new Set(bare).size < FEW_CHARACTERS) return 'is easy to guess'
  const stray = isMadeBySender(scheme) ? strayCharacter(secret, NO_TOKEN) : undefined
  if (stray) return stray
  const cut = cutShort(secret, scheme.facts?.hexDigits)
  if (cut) return cut
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
