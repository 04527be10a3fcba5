/** The sender's form of a secret, and what is mistaken for it. */
export interface SecretForm {
  /** How every secret begins. */
  readonly prefix?: string | undefined
  /** The sender's other keys and IDs: how they begin, and what they are. */
  readonly otherKeys?: { readonly [beginning: string]: string } | undefined
  /** The sender signs with the key of its API. */
  readonly signsWithApiKey?: true | undefined
}

/** How Stripe and others begin the keys of their APIs. */
const API_KEY = /^(sk|rk|pk)_(live|test)_/

/** What no sender makes, without its prefix. The first that fits is reported. */
const RULES: readonly (readonly [mistaken: RegExp, is: string])[] = [
  [/^-----BEGIN|^\w+:\/\/|^eyJ[^.]+\.|^[{[]"/, 'is a PEM, a URL, a JWT or JSON'],
  [/^(export )?([A-Z]\w*|[a-z]+_\w+)=["']?[\w$/+{<]/m, 'is from a .env file; pass only what follows the ='],
  [
    /^(undefined|null|\[object .*)$|^[$%{]|\benv(iron)?[.[]/i,
    'is a placeholder: undefined, null or the name of a variable; pass its value',
  ],
  [
    /^([a-z]+_)*([[<].*|[x-]{3,}|(change|your|replace|insert|paste)[-_ ]?(me|.*(secret|key|token|here)).*)$|x{8}|[•…]|\.{3}|\*{3}/i,
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
  secret: string,
  { prefix = '', otherKeys = {}, signsWithApiKey }: SecretForm,
): string | undefined {
  const other = Object.entries(otherKeys).find(([beginning]) => secret.startsWith(beginning))
  if (other) return `is ${other[1]}`
  if (!signsWithApiKey && API_KEY.test(secret)) return 'is an API key'
  const bare = secret.startsWith(prefix) ? secret.slice(prefix.length) : secret
  if (bare === '') return `has nothing after ${prefix}`
  // A short prefix, such as sig_, may also occur by chance.
  const isTwice = prefix.length > 4 ? secret.split(prefix).length > 2 : prefix && bare.startsWith(prefix)
  if (isTwice) return `has ${prefix} twice; remove one, or pass two secrets as a list`
  return RULES.find(([mistaken]) => mistaken.test(bare))?.[1] ?? strayCharacter(secret, STRAY)
}

/** Names the first character that is stray, and where it is. */
export function strayCharacter(text: string, stray: RegExp): string | undefined {
  const at = text.search(stray)
  if (at < 0) return undefined
  const character = text.charAt(at)
  const code = text.codePointAt(at)?.toString(16).toUpperCase().padStart(4, '0')
  const name =
    NAMES[BLANKS.indexOf(character)] ?? (/[‘-‟]/.test(character) ? 'curly quote' : `character U+${code}`)
  const isLast = at >= Math.min(text.trimEnd().length, text.length - 1)
  return `has a ${name} ${at === 0 ? 'at its start' : isLast ? 'at its end' : 'in it'}; remove it`
}
