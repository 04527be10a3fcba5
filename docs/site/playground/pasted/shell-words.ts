import { binaryOf } from './request.ts'

const SINGLE = /'([^']*)'/y
const DOUBLE = /"([^"\\]*(?:\\[\s\S][^"\\]*)*)"/y
/** bash's `$'…'`, which browsers write for line breaks and other characters. */
const ANSI = /\$'([^'\\]*(?:\\[\s\S][^'\\]*)*)'/y
const PLAIN = /[^\s'"\\$`|;&<>()#]+|#/y
const ESCAPED = /\\([\s\S])/y
const ANSI_ESCAPE =
  /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c([\s\S])|([\s\S]))/g
const ANSI_LETTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({ a: '\x07', b: '\b', e: '\x1b', E: '\x1b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }),
)
const ENDS = /[|;<>)]/

/**
 * The words of a command as a POSIX shell, or bash, splits them, each with its bytes as characters from U+0000 to U+00FF. Ends where
 * another command, a pipe or a redirection begins. Runs nothing, and takes time in proportion to the text.
 *
 * @throws SyntaxError for an open quote, and for what only a shell can know, such as a variable.
 */
export function shellWords(binary: string): string[] {
  const words: string[] = []
  let word: string | undefined
  let at = 0
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at
    const found = pattern.exec(binary)
    if (found) at = pattern.lastIndex
    return found
  }
  const end = () => {
    if (word !== undefined) words.push(word)
    word = undefined
  }
  while (at < binary.length) {
    const character = binary[at] ?? ''
    if (/[ \t\r]/.test(character)) {
      end()
      at += 1
      continue
    }
    if (binary.startsWith('\\\n', at)) {
      at += 2 // the line goes on
      continue
    }
    if (character === '\n' || ENDS.test(character)) {
      if (character === '\n' && words.length === 0 && word === undefined) {
        at += 1
        continue
      }
      break
    }
    if (character === '&')
      throw new SyntaxError('Put quotes around the URL: a shell would end the command at its &.')
    const quoted = take(SINGLE) ?? take(PLAIN)
    const part = quoted ? (quoted[1] ?? quoted[0]) : escapedPart(take)
    if (part === undefined) throw new SyntaxError(problemWith(character))
    word = (word ?? '') + part
  }
  end()
  return words
}

/** One part of a word that has escapes. */
function escapedPart(take: (pattern: RegExp) => RegExpExecArray | null): string | undefined {
  const ansi = take(ANSI)?.[1]
  if (ansi !== undefined) return ansi.replaceAll(ANSI_ESCAPE, ansiCharacter)
  const double = take(DOUBLE)?.[1]
  if (double !== undefined) return insideDouble(double)
  return take(ESCAPED)?.[1]
}

function insideDouble(text: string): string {
  if (/(?<!\\)(?:\\\\)*[$`](?=[\w({`])|(?<!\\)(?:\\\\)*`/.test(text)) throw new SyntaxError(VARIABLE)
  return text.replaceAll(/\\([$`"\\\n])/g, (_, character: string) => (character === '\n' ? '' : character))
}

function ansiCharacter(
  whole: string,
  byte: string | undefined,
  short: string | undefined,
  long: string | undefined,
  octal: string | undefined,
  control: string | undefined,
  other: string | undefined,
): string {
  if (byte !== undefined) return String.fromCharCode(Number.parseInt(byte, 16))
  if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff)
  if (control !== undefined) return String.fromCharCode(control.charCodeAt(0) & 0x1f)
  const code = short ?? long
  if (code !== undefined) return utf8(Number.parseInt(code, 16))
  return ANSI_LETTERS.get(other ?? '') ?? (/[\\'"?]/.test(other ?? '') ? (other ?? '') : whole)
}

const MOST = 0x10ffff

function utf8(code: number): string {
  if (code > MOST) throw new SyntaxError('The command has an escape that is no character.')
  return binaryOf(new TextEncoder().encode(String.fromCodePoint(code)))
}

const VARIABLE = 'The command has a variable or another command in it: write the value in its place.'

function problemWith(character: string): string {
  if (character === '$' || character === '`' || character === '(') return VARIABLE
  return 'The command ends within a quote: paste all of it. From Windows, choose “Copy as cURL (bash)”.'
}
