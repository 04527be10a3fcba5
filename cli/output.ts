import util from 'node:util'

/** Results: what a script reads. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Remarks: what a person reads. */
export function remark(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** Colour for terminals only, and not under NO_COLOR. */
export function paint(style: 'green' | 'red' | 'yellow', text: string): string {
  return util.styleText(style, text, { stream: process.stdout })
}

/** Text from elsewhere, made safe for a terminal: control characters would move its cursor or worse. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character === '\n' || character === '\t' ? character : escaped(character),
  )
}

/** One line of NDJSON. `JSON.stringify` leaves some control characters as they are. */
export function toJsonLine(value: object): string {
  return JSON.stringify(value).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped)
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}

/** An error's message, made safe for a terminal. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? printable(error.message) : 'cannot decide'
}
