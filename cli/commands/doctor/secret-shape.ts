import { readFileSync, statSync } from 'node:fs'
import { codeOf } from '../../command-line/values.ts'
import { type Finding, notesOf } from './finding.ts'

const { ok, warn, fail, skip } = notesOf('secret.shape')

const MADE_BY_US = /^[A-Za-z0-9_-]{43}$/
const SHORTEST = 16
const FEW_CHARACTERS = 8

/** A secret's source, and its text as read. */
interface SecretText {
  readonly name: string
  readonly text: string
}

type Rule = readonly [isSo: (text: string) => boolean, seen: string, fix: string]

const AS_TEXT = 'the text itself is the key and is not decoded: make sure that the sender does the same'

const PUT_IT_THERE = "put the sender's secret there; if you make it yourself: hookgate secret"

/** Text that no sender's secret looks like. The first rule that fits is reported. */
const NO_SECRET: readonly Rule[] = [
  [(text) => text === '', 'is empty', PUT_IT_THERE],
  [(text) => /[\0\ufffd]/.test(text), 'is not UTF-8 text', 'save it as UTF-8'],
  [(text) => text.startsWith('\ufeff'), 'begins with a byte order mark', 'save it as UTF-8 without BOM'],
  [(text) => text.trim() === '', 'is blank', PUT_IT_THERE],
  [
    (text) => /^(?:export )?[A-Z][A-Z0-9_]*=[^=]/m.test(text),
    'is from a .env file',
    'keep only what follows the =',
  ],
  [(text) => /[\r\n]/.test(text), 'contains a line break', 'put one secret into each file, on one line'],
  [(text) => text !== text.trim(), 'begins or ends with white space', 'remove the white space'],
  [(text) => /^(["'`]).*\1$/.test(text), 'has quotes around it', 'remove the quotes'],
  [
    (text) => /^(?:\$\{?\w+\}?|\{\{.*\}\}|%\w+%|<[\w -]+>)$/.test(text),
    'is a placeholder',
    'have your shell or your platform insert the secret',
  ],
  [
    (text) => /^(?:sk_|pk_|rk_|gh[pousr]_|github_pat_|xox[abp]-|AKIA|AIza|glpat-|npm_)/.test(text),
    'looks like an API key',
    "use the endpoint's signing secret, and rotate the API key: it was in the wrong place",
  ],
]

/** Secrets that hookgate's own scheme refuses, or that are weak. */
const WRONG: readonly Rule[] = [
  ...NO_SECRET,
  [(text) => /^-----BEGIN /.test(text), 'is a PEM block', 'pass keys with --jwks'],
  [(text) => text.length < SHORTEST, `has fewer than ${SHORTEST} characters`, 'make one: hookgate secret'],
  [
    (text) =>
      new Set(text).size < FEW_CHARACTERS || /^(?:change|your|example|secret|password|test)/i.test(text),
    'is easy to guess',
    'make one: hookgate secret',
  ],
]

/** Possible mistakes. The first that fits is reported. */
const ODD: readonly Rule[] = [
  [
    (text) => text.startsWith('whsec_'),
    "looks like another sender's secret (whsec_)",
    "use that sender's scheme, e.g. hookgate/schemes/stripe: it decodes the secret if the sender does",
  ],
  [(text) => /^[A-Za-z0-9+/]{20,}={1,2}$/.test(text), 'looks like base64', AS_TEXT],
  [(text) => /^[0-9a-f]{32,}$/i.test(text), 'looks like hexadecimal digits', AS_TEXT],
  [(text) => text.length < 32, 'is shorter than 256 bits of base64url', 'make one: hookgate secret'],
]

/**
 * Checks the shape of the secrets. Reports what is wrong, and never their text.
 * @param isForAnotherSender Checks only what is wrong for every sender, because each has its own form of secret.
 */
export async function checkSecretShape(
  files: readonly string[],
  isForAnotherSender: boolean,
): Promise<Finding[]> {
  const variable = process.env.HOOKGATE_SECRET
  if (files.length === 0 && variable === undefined) {
    return [skip('no secret was given', 'set HOOKGATE_SECRET, or give --secret-file FILE')]
  }
  const given = files.length > 0 ? files.map(readSecret) : [{ name: 'HOOKGATE_SECRET', text: variable ?? '' }]
  const secrets = given.filter((secret): secret is SecretText => !('id' in secret))
  const failures = given.filter((secret): secret is Finding => 'id' in secret)
  return [
    ...failures,
    ...secrets.map(isForAnotherSender ? judgeForAnother : judge),
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

function judge(secret: SecretText): Finding {
  const { name, text } = secret
  const mistake = mistakeIn(secret, WRONG)
  if (mistake) return mistake
  const odd = ODD.find(([isSo]) => isSo(text))
  if (odd) return warn(`${name} ${odd[1]}`, odd[2])
  return ok(
    MADE_BY_US.test(text) ? `${name}: 43 characters, as made by hookgate secret` : `${name}: long enough`,
  )
}

function judgeForAnother(secret: SecretText): Finding {
  return mistakeIn(secret, NO_SECRET) ?? ok(`${secret.name}: no quotes, blanks or placeholders`)
}

function mistakeIn({ name, text }: SecretText, rules: readonly Rule[]): Finding | undefined {
  const rule = rules.find(([isSo]) => isSo(text))
  return rule && fail(`${name} ${rule[1]}`, rule[2])
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
