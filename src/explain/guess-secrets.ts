import { decodeHex, decodeUtf8, encodeBase64, encodeHex, encodeUtf8 } from '../lib/bytes.ts'
import type { KeyForm } from '../scheme.ts'
import { withoutVersion } from '../schemes/kit/keys.ts'
import { isMadeBySender, secretFormOf, secretMistake } from '../schemes/kit/secret-forms.ts'
import type { ExpectedSender } from './expected-sender.ts'
import { type Guess, guessesOf, type Text } from './guess.ts'
import { bytesOfBase64 } from './signature-form.ts'

const QUOTES = /^["'`‘-‟]+|["'`‘-‟]+$/g
/** With `\n` as two characters, which a quoted value in a shell or a `.env` file leaves there. */
const BLANKS = /^(?:[\s\u200b]|\\[nrt])+|(?:[\s\u200b,;]|\\[nrt])+$/g
/** Characters that come along when text is copied from a web page. */
const INVISIBLE = /(?! )[\p{C}\p{Z}]/gu
/** Base64 in upper case is lost. */
const UPPER_HEX = /^(?:[A-Z]+_)?(?=.*[A-F])[0-9A-F]{16,}$/
const COMMENT = /\s*(?:#| \/\/).*$/s
const ASSIGNED = /^(?:export )?[A-Za-z_]\w*=(.+)$/gm
/** The most lines of a `.env` file, or of a list of secrets, that are tried. */
const MOST_LINES = 20

/** The secrets that were perhaps meant, and the keys that were perhaps made of the configured one. */
export function secretGuesses(secret: string, expected: ExpectedSender): readonly Guess[] {
  const { scheme } = expected
  const bare = withoutEdges(secret)
  const keep = (texts: readonly Text[]) => [
    ...guessesOf(texts, new Set([secret, '']), (text) => asSecret(text, expected)),
  ]
  return [
    ...keep([
      ...testing(expected),
      ...meant(secret, bare, expected),
      ...prefixed(bare, expected),
      ...recoded(bare, expected),
    ]),
    ...(scheme.algorithm === 'code' ? [] : otherKeys(bare, scheme.key, expected)),
    ...keep(atSender(bare, expected)),
  ]
}

/** The secret that everybody knows, with which the sender signs its tests. */
function testing({ facts, name }: ExpectedSender): readonly Text[] {
  if (facts.testSecret === undefined) return []
  const says = `this is a test of ${name}, signed with the secret that it has for all tests: send a real event instead`
  return [[says, facts.testSecret]]
}

const withoutEdges = (text: string) => text.replace(BLANKS, '').replace(QUOTES, '').replace(BLANKS, '')

/** No option takes a line break at the end of a secret, so its bytes are the key. */
function asSecret(secret: string, { scheme }: ExpectedSender): Pick<Guess, 'secret' | 'key'> {
  const isText = scheme.algorithm !== 'code' && scheme.algorithm !== 'token' && scheme.key === 'text'
  return isText && /^[\r\n]|[\r\n]$/.test(secret)
    ? { secret: encodeBase64(encodeUtf8(secret)), key: 'base64' }
    : { secret }
}

/** The secrets in a text, without quotes, comments, names and separators. */
function meant(secret: string, bare: string, { scheme }: ExpectedSender): readonly Text[] {
  const form = secretFormOf(scheme)
  const mistake = secretMistake(secret, form)
  if (mistake === undefined) return []
  const { prefix = '' } = form
  const assigned = [...secret.matchAll(ASSIGNED)].map(([, value = '']) => value)
  const texts = [
    bare,
    secret.replace(INVISIBLE, ''),
    secret.replace(COMMENT, ''),
    ...(prefix && bare.startsWith(prefix + prefix) ? [bare.slice(prefix.length)] : []),
    ...[...assigned, ...secret.split(/[\s,;]+/)].slice(0, MOST_LINES),
  ]
  const says = `the configured secret ${mistake.replace('; ', ': ')}`
  return texts.map((text) => [says, withoutEdges(text)])
}

function prefixed(bare: string, { scheme, facts, name }: ExpectedSender): readonly Text[] {
  const ofSignature = scheme.algorithm === 'code' ? undefined : scheme.signature.prefix
  if (ofSignature && bare.startsWith(ofSignature)) {
    const says = `the configured secret begins with ${ofSignature}, as ${name}'s signatures do: remove it`
    return [[says, bare.slice(ofSignature.length)]]
  }
  const prefix = facts.usualPrefix ?? scheme.secretPrefix ?? /^[a-z]+_/.exec(bare)?.[0]
  if (prefix === undefined) return []
  return bare.startsWith(prefix)
    ? [
        [
          `${name} signed with only what follows ${prefix} in the secret: pass that alone`,
          bare.slice(prefix.length),
        ],
      ]
    : [
        [
          `the configured secret lacks its prefix ${prefix}: pass it whole, as ${name} shows it`,
          prefix + bare,
        ],
      ]
}

/** The secret was encoded or decoded on its way here: Kubernetes keeps secrets in base64. */
function recoded(bare: string, { scheme, facts, name }: ExpectedSender): readonly Text[] {
  const prefix = facts.usualPrefix ?? scheme.secretPrefix ?? ''
  const bytes = encodeUtf8(bare)
  const isForm = (form: string) => `the configured secret is ${form} of the one that ${name} uses: decode it`
  const wasDecoded = (form: string) =>
    `the configured secret was decoded from ${form}: pass it as ${name} has it`
  const textOf = (decoded: Uint8Array = new Uint8Array()) => decodeUtf8(decoded)?.trimEnd() ?? ''
  return [
    [isForm('base64'), textOf(bytesOfBase64(bare))],
    [isForm('the hex form'), textOf(decodeHex(bare.toLowerCase()))],
    [
      `the configured secret is in upper case: pass it as ${name} has it`,
      UPPER_HEX.test(bare) ? bare.toLowerCase() : '',
    ],
    ...['', prefix].flatMap((start): readonly Text[] => [
      [wasDecoded('base64'), start + encodeBase64(bytes)],
      [wasDecoded('base64'), start + encodeBase64(bytes).replace(/=+$/, '')],
      [wasDecoded('hex'), start + encodeHex(bytes)],
    ]),
  ]
}

/** The same secret as another key. */
function otherKeys(bare: string, key: KeyForm, { name }: ExpectedSender): readonly Guess[] {
  if (typeof key === 'object') {
    const { base64After: prefix } = key
    const ofText = [`the text of the secret was the key: decode the base64 after ${prefix} before you sign`]
    const ofHex = `the configured secret is the hex form of the one that ${name} uses: pass its base64`
    const shown = withoutVersion(key, bare)
    const short = shown.startsWith(prefix) ? shown.slice(prefix.length) : shown
    const bytes = decodeHex(short.toLowerCase())
    return [
      ...(bytes ? [{ says: [ofHex], secret: prefix + encodeBase64(bytes) }] : []),
      { says: ofText, key: 'text', secret: short },
      { says: ofText, key: 'text', secret: prefix + short },
    ]
  }
  if (key !== 'text') return []
  const decoded = (form: string) => [`the secret was decoded from ${form} before it signed: use its text`]
  const bytes = bytesOfBase64(bare.replace(/^whsec_/, ''))
  return [
    { says: decoded('base64'), key: 'base64', secret: encodeBase64(bytes) },
    { says: decoded('hex'), key: 'hex', secret: bare },
  ]
}

/** Stray characters in the sender's own copy. A sender that makes the secret has none, but your own tests may sign as it. */
function atSender(bare: string, { name, scheme }: ExpectedSender): readonly Text[] {
  const says = (what: string) =>
    isMadeBySender(scheme)
      ? `this was not signed by ${name}, but e.g. by a test whose secret has ${what}: correct it there`
      : `${name}'s copy of the secret has ${what}: correct it there`
  return [
    [says('a line break at its end'), `${bare}\n`],
    [says('a space at its end'), `${bare} `],
    [says('a space at its start'), ` ${bare}`],
    [says('quotes around it'), `"${bare}"`],
    [says('quotes around it'), `'${bare}'`],
    [says('a line break at its end'), `${bare}\r\n`],
  ]
}
