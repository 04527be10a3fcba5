import util from 'node:util'
import { ERRORS_PAGE } from '../../src/errors.ts'
import { textOf } from '../../src/lib/member-of.ts'
import { escaped, printable } from '../../src/lib/printable.ts'

export { printable }

/** Prints a result to standard output, for scripts. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Prints a remark to standard error, for people. */
export function remark(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** Adds colour, or bold type, on terminals only, unless NO_COLOR is set. */
export function paint(style: 'green' | 'red' | 'yellow' | 'gray' | 'bold', text: string): string {
  return util.styleText(style, text, { stream: process.stdout })
}

/** One line of NDJSON. Escapes the control characters that `JSON.stringify` leaves alone. */
export function toJsonLine(value: object): string {
  return JSON.stringify(value).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped)
}

/** Appends the code of the package's own errors, and the link to its entry, on a separate line. */
export function withHelp(line: string, error: unknown): string {
  const help = textOf(error, 'help')
  return help?.startsWith(ERRORS_PAGE) ? `${line}\n${textOf(error, 'code')}: ${help}` : line
}

/** An error's message, made safe for a terminal. */
export function messageOf(error: unknown): string {
  return printable(textOf(error, 'message') ?? 'cannot decide')
}
