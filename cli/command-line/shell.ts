import { decodeUtf8 } from '../../src/lib/bytes.ts'

/** @param body curl's option for the body, and its value. */
export function curlCommand(
  url: string,
  headers: { readonly [name: string]: string },
  body: readonly [option: string, value: string],
): string {
  const lines = headerLines(headers).flatMap((line) => ['--header', line])
  return ['curl', '--include', ...lines, ...body, url].map(shellQuote).join(' ')
}

export function headerLines(headers: { readonly [name: string]: string }): readonly string[] {
  const titled = (name: string) => name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())
  return Object.entries(headers).map(([name, value]) => `${titled(name)}: ${value}`)
}

/**
 * All but tab and line feed. Terminals act on them even in quoted text: ESC [201~ ends a bracketed paste.
 */
const CONTROL_CHARACTER = /[^\P{Cc}\t\n]/u

/** `--data-raw`, because `--data` reads a file if the text begins with @. Undefined if no command line can hold the body. */
export function dataOption(body: Uint8Array): readonly [option: string, value: string] | undefined {
  const text = decodeUtf8(body)
  return text === undefined || CONTROL_CHARACTER.test(text) ? undefined : ['--data-raw', text]
}

/** An option and its value. A value that begins with a dash needs `=`. */
export function shellOption(option: string, value: string): string {
  return ` ${option}${value.startsWith('-') ? '=' : ' '}${shellQuote(value)}`
}

/** Quotes a word for a POSIX shell. */
export function shellQuote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
