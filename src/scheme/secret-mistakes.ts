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
  [/^-----BEGIN|^\w+:\/\/|^eyJ[^.]+\../, 'is a PEM, a URL or a JWT'],
  [/^(export )?([A-Z]\w*|[a-z]+_\w+)=["']?[\w$/+{<]/m, 'is from a .env file; pass only what follows the ='],
  [
    /^(undefined|null|\W|[[<].*|([x*.•-])\2{2,}[x-]*|(change|your|replace)[-_ ]?(me|.*(secret|key|token|here)).*)$|^[$%{]|…|\.\.\.|\benv(iron)?[.[]/i,
    'is a placeholder, or a variable without its value',
  ],
  [/^["'`]|["'`]$/, 'has quotes around it; remove them'],
  [/\\[nrt]$/, 'ends with \\n as text; remove it'],
  [/#| \/\//, 'has a comment behind it; remove it'],
  [/[,;]/, 'has a comma or another secret behind it; pass several as a list'],
]

const NAMES: { readonly [character: string]: string } = {
  ' ': 'space',
  '\t': 'tab',
  '\n': 'line break',
  '\r': 'line break',
  '\xa0': 'no-break space',
  '\u200b': 'zero-width space',
  '\ufeff': 'byte order mark',
}

/**
 * Finds why the sender cannot have made a secret: the problem, and what to do. If you choose the secret yourself, it may be one
 * all the same. Never contains more of the secret than a prefix that everybody knows.
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
  if (isTwice) return `has ${prefix} twice`
  return RULES.find(([mistaken]) => mistaken.test(bare))?.[1] ?? strayCharacter(bare)
}

function strayCharacter(text: string): string | undefined {
  const at = text.search(/^ | $|(?! )[\p{C}\p{Z}‘-‟]/u)
  if (at < 0) return undefined
  const character = text.charAt(at)
  const name = NAMES[character] ?? (/[‘-‟]/.test(character) ? 'curly quote' : 'hidden character')
  return `has a ${name} ${at === 0 ? 'at its start' : at === text.length - 1 ? 'at its end' : 'in it'}; remove it`
}
