import { decodeHex, decodeUtf8, encodeBase64, encodeHex } from '../lib/bytes.ts'
import type { KeyForm } from '../schemes/kit/scheme.ts'
import { secretFormOf } from '../schemes/kit/secret-forms.ts'
import { secretMistake } from '../schemes/kit/secret-mistakes.ts'
import type { ConfiguredKey, ExpectedSender } from './expected-sender.ts'
import { type Guess, guessesOf, type Text } from './guess.ts'
import { bytesOfBase64 } from './signature-form.ts'

const encoder = new TextEncoder()
const QUOTES = /^["'`‘-‟]+|["'`‘-‟]+$/g
/** With `\n` as two characters, which a quoted value in a shell or a `.env` file leaves there. */
const BLANKS = /^(?:[\s\u200b]|\\[nrt])+|(?:[\s\u200b,;]|\\[nrt])+$/g
/** From a copy of a web page. */
const INVISIBLE = /(?! )[\p{C}\p{Z}]/gu
const COMMENT = /\s*(?:#| \/\/).*$/s
const ASSIGNED = /^(?:export )?[A-Za-z_]\w*=(.+)$/gm
/** Of a `.env` file, or of a list. */
const MOST_LINES = 20

/** The secrets that were perhaps meant, and the keys that were perhaps made of the configured one. */
export function secretGuesses({ secret }: ConfiguredKey, expected: ExpectedSender): readonly Guess[] {
  const { scheme, name } = expected
  const bare = secret.replace(BLANKS, '').replace(QUOTES, '').replace(BLANKS, '')
  const inQuotes = `${name} signed with quotes around the secret: enter it again without`
  const here: readonly Text[] = [
    ...meant(secret, bare, expected),
    ...prefixed(bare, expected),
    ...recoded(bare, expected),
  ]
  const atSender: readonly Text[] = [
    [strayAtSender('\n', expected), `${bare}\n`],
    [strayAtSender(' ', expected), `${bare} `],
    [strayAtSender(' ', expected), ` ${bare}`],
    [inQuotes, `"${bare}"`],
    [inQuotes, `'${bare}'`],
    [strayAtSender('\n', expected), `${bare}\r\n`],
  ]
  const keep = (texts: readonly Text[]) => guessesOf(texts, [secret, ''], (text) => asSecret(text, expected))
  const asKeys = scheme.algorithm === 'code' ? [] : otherKeys(bare, scheme.key, expected)
  return [...keep(here), ...asKeys, ...keep(atSender)]
}

/** No option takes a line break at the end of a secret, so its bytes are the key. */
function asSecret(secret: string, { scheme }: ExpectedSender): Pick<Guess, 'secret' | 'key'> {
  const isText = scheme.algorithm !== 'code' && scheme.algorithm !== 'token' && scheme.key === 'text'
  return isText && /^[\r\n]|[\r\n]$/.test(secret)
    ? { secret: encodeBase64(encoder.encode(secret)), key: 'base64' }
    : { secret }
}

/** What is left of a text without what is around, behind or between the secrets in it. */
function meant(secret: string, bare: string, { scheme }: ExpectedSender): readonly Text[] {
  const form = secretFormOf(scheme)
  const mistake = secretMistake(secret, form)
  if (mistake === undefined) return []
  const { prefix = '' } = form
  const values = [...secret.matchAll(ASSIGNED)].map(([, value = '']) => value)
  const texts = [
    bare,
    secret.replace(INVISIBLE, ''),
    secret.replace(COMMENT, ''),
    ...(prefix && bare.startsWith(prefix + prefix) ? [bare.slice(prefix.length)] : []),
    ...[...values, ...secret.split(/[\s,;]+/)].slice(0, MOST_LINES),
  ]
  return texts.map((text) => [
    `the configured secret ${mistake.replace('; ', ': ')}`,
    text.replace(BLANKS, '').replace(QUOTES, '').replace(BLANKS, ''),
  ])
}

function strayAtSender(end: string, { name, isOwn }: ExpectedSender): string {
  const what = end === ' ' ? 'a space' : 'a line break'
  return isOwn
    ? `the sender signed with ${what} around the secret: remove it there`
    : `${name} has the secret with ${what} around it: enter it there again without`
}

function prefixed(bare: string, { scheme, facts, name }: ExpectedSender): readonly Text[] {
  const ofSignature = scheme.algorithm === 'code' ? undefined : scheme.signature.prefix
  if (ofSignature && bare.startsWith(ofSignature)) {
    const says = `the configured secret begins with ${ofSignature}, as ${name}'s signatures do: remove it`
    return [[says, bare.slice(ofSignature.length)]]
  }
  const prefix = facts.usualPrefix ?? scheme.secretPrefix
  const known = prefix ?? /^[a-z]+_/.exec(bare)?.[0]
  if (known === undefined) return []
  return bare.startsWith(known)
    ? [[`${name} signed with what follows ${known} in the secret: pass that alone`, bare.slice(known.length)]]
    : [[`the configured secret lacks its prefix ${known}: pass it whole, as ${name} shows it`, known + bare]]
}

/** The secret was encoded or decoded on its way here: Kubernetes keeps secrets in base64. */
function recoded(bare: string, { scheme, facts, name, isOwn }: ExpectedSender): readonly Text[] {
  const prefix = facts.usualPrefix ?? scheme.secretPrefix ?? ''
  const bytes = encoder.encode(bare)
  const pass = isOwn ? 'pass it as it was issued' : `pass it as ${name} shows it`
  const textOf = (decoded: Uint8Array = new Uint8Array()) => decodeUtf8(decoded)?.trimEnd() ?? ''
  const fromBase64 = `the configured secret was decoded from base64: ${pass}`
  return [
    [`the configured secret is base64 of the one that ${name} uses: decode it`, textOf(bytesOfBase64(bare))],
    [
      `the configured secret is the hex form of the one that ${name} uses: decode it`,
      textOf(decodeHex(bare.toLowerCase())),
    ],
    ...['', prefix].flatMap((start): readonly Text[] => [
      [fromBase64, start + encodeBase64(bytes)],
      [fromBase64, start + encodeBase64(bytes).replace(/=+$/, '')],
      [`the configured secret was decoded from hex: ${pass}`, start + encodeHex(bytes)],
    ]),
  ]
}

/** The same secret as another key. */
function otherKeys(bare: string, key: KeyForm, { name, isOwn }: ExpectedSender): readonly Guess[] {
  if (typeof key === 'object') {
    const { base64After: prefix } = key
    const ofText = `the signature was made with the text of the secret: a sender of this scheme decodes the base64 after ${prefix} first`
    const ofHex = `the configured secret is the hex form of the one that ${name} uses: pass its base64`
    const short = bare.startsWith(prefix) ? bare.slice(prefix.length) : bare
    const bytes = decodeHex(short.toLowerCase())
    return [
      ...(bytes ? [{ says: [ofHex], secret: prefix + encodeBase64(bytes) }] : []),
      { says: [ofText], key: 'text', secret: short },
      { says: [ofText], key: 'text', secret: prefix + short },
    ]
  }
  if (key !== 'text') return []
  const fix = isOwn ? 'its text is the key' : `${name} uses its text`
  const bytes = bytesOfBase64(bare.replace(/^whsec_/, ''))
  return [
    { says: [`the secret was base64-decoded first; ${fix}`], key: 'base64', secret: encodeBase64(bytes) },
    { says: [`the secret was hex-decoded first; ${fix}`], key: 'hex', secret: bare },
  ]
}
