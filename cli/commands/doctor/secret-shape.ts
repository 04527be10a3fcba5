import { readFileSync, statSync } from 'node:fs'
import { hmac } from '../../../src/index.ts'
import { hasKeyPair } from '../../../src/schemes/kit/compile-scheme.ts'
import { looksLike, oddSecret, secretFormOf, secretMistake } from '../../../src/schemes/kit/secret-forms.ts'
import { codeOf } from '../../command-line/values.ts'
import { type AnyScheme, hasNoSecret, refusalBy, refusalOf } from '../../signing/schemes.ts'
import { type Finding, fail, ok, skip, warn } from './finding.ts'

const MADE_BY_US = /^[A-Za-z0-9_-]{43}$/
const FEW_CHARACTERS = 8
/** No sender makes a shorter secret. */
const SHORT = 12

/** A secret's source, and its text as read. */
interface SecretText {
  readonly name: string
  readonly text: string
}

type Rule = readonly [isSo: (text: string) => boolean, seen: string, fix: string]

const PUT_IT_THERE = "put the sender's secret there; if you make it yourself: hookgate secret"
const MAKE_ONE = 'make one: hookgate secret'
const AS_TEXT = 'the text itself is the key and is not decoded: make sure that the sender does the same'

/** Possible mistakes with hookgate's own scheme. The first that fits is reported. */
const ODD: readonly Rule[] = [
  [
    (text) => text.startsWith('whsec_'),
    "looks like another sender's secret (whsec_)",
    "use that sender's scheme, e.g. hookgate/schemes/stripe: it decodes the secret if the sender does",
  ],
  [(text) => /^[A-Za-z0-9+/]{20,}={1,2}$/.test(text), 'looks like base64', AS_TEXT],
  [(text) => /^[0-9a-f]{32,}$/i.test(text), 'looks like hexadecimal digits', AS_TEXT],
  [(text) => text.length < 32, 'is shorter than 256 bits of base64url', MAKE_ONE],
]

/**
 * Checks the shape of the secrets. Reports what is wrong, and never their text.
 * @param factory The sender whose secrets they are. By default they are of hookgate's own scheme.
 */
export async function checkSecretShape(
  files: readonly string[],
  factory: AnyScheme | undefined,
): Promise<Finding[]> {
  const variable = process.env.HOOKGATE_SECRET
  if (factory && hasNoSecret(factory)) {
    const { sender, secretName } = factory.scheme
    return [skip(`${sender} shares no secret with you`, secretName.replace('none; ', ''))]
  }
  if (files.length === 0 && variable === undefined) {
    return [skip('no secret was given', 'set HOOKGATE_SECRET, or give --secret-file FILE')]
  }
  const given = files.length > 0 ? files.map(readSecret) : [{ name: 'HOOKGATE_SECRET', text: variable ?? '' }]
  const secrets = given.filter((secret): secret is SecretText => !('status' in secret))
  const failures = given.filter((secret): secret is Finding => 'status' in secret)
  return [
    ...failures,
    ...secrets.map((secret) => (factory ? senderSecretFinding(factory, secret) : ownSecretFinding(secret))),
    ...secrets.flatMap(usedBefore),
    ...files.flatMap(readableByOthers),
  ]
}

/** Removes a final line break, as all commands do. */
export function readSecret(file: string): SecretText | Finding {
  try {
    return { name: file, text: readFileSync(file, 'utf8').replace(/[\r\n]+$/, '') }
  } catch (error) {
    const problem = codeOf(error) === 'ENOENT' ? 'does not exist' : 'cannot be read'
    return fail(`${file} ${problem}`, 'correct --secret-file, or the permissions of the file')
  }
}

/** Why a text cannot be a secret of any sender. Undefined if it can. */
function noText(text: string): string | undefined {
  if (/[\0\ufffd]/.test(text)) return 'is not UTF-8 text; save it as UTF-8'
  return text.trim() === '' ? `is empty or blank; ${PUT_IT_THERE}` : undefined
}

/** The secrets of hookgate's own scheme are made by `hookgate secret`, so what looks wrong is wrong. */
function ownSecretFinding({ name, text }: SecretText): Finding {
  const mistake = noText(text) ?? secretMistake(text, {}) ?? refusalBy(() => hmac({ secrets: text }))
  if (mistake) return fail(...said(name, mistake, MAKE_ONE))
  if (isGuessable(text)) return fail(`${name} is easy to guess`, MAKE_ONE)
  const odd = ODD.find(([isSo]) => isSo(text))
  if (odd) return warn(`${name} ${odd[1]}`, odd[2])
  return ok(
    MADE_BY_US.test(text) ? `${name}: 43 characters, as made by hookgate secret` : `${name}: long enough`,
  )
}

function isGuessable(text: string): boolean {
  return new Set(text).size < FEW_CHARACTERS || /^(?:change|your|example|secret|password|test)/i.test(text)
}

/** Fails what the sender's scheme refuses. What only looks wrong may be right, e.g. if you chose it. */
function senderSecretFinding(factory: AnyScheme, { name, text }: SecretText): Finding {
  const { scheme } = factory
  const form = secretFormOf(scheme)
  const advice = `pass the ${scheme.secretName}`
  const refusal = noText(text) ?? refusalOf(factory, text)
  if (refusal) return fail(...said(name, refusal, advice))
  const short = text.length < SHORT ? 'is short, and so easy to guess' : undefined
  const isPemKey = hasKeyPair(scheme) && text.startsWith('-----BEGIN') // which the factory has read
  const odd = isPemKey ? undefined : (secretMistake(text, form) ?? oddSecret(text, scheme) ?? short)
  if (odd) return warn(...said(name, looksLike(odd), advice))
  const begins = form.prefix && text.startsWith(form.prefix) ? `begins with ${form.prefix}, and ` : ''
  return ok(
    `${name}: ${begins}has no quotes, stray characters, comment, placeholder or known key of another kind; whether ${scheme.sender} signs with it is not checked`,
  )
}

/** A problem is `what is wrong; what to do`. */
function said(name: string, problem: string, advice: string): [seen: string, fix: string] {
  const [seen = '', ...fixes] = problem.split('; ')
  return [`${name} ${seen}`, fixes.join('; ') || advice]
}

function usedBefore({ name, text }: SecretText, index: number, secrets: readonly SecretText[]): Finding[] {
  const twin = secrets.slice(0, index).find((earlier) => earlier.text === text)
  return twin ? [fail(`${name} is the same as ${twin.name}`, 'rotate to a new secret: hookgate secret')] : []
}

function readableByOthers(file: string): Finding[] {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined || process.platform === 'win32' || (stats.mode & 0o044) === 0) return []
  return [warn(`${file} can be read by other users of this machine`, `chmod 600 ${file}`)]
}
