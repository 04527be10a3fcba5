import { sha256 } from '#crypto'

/** An index entry of Postgres has room for about 2,700 bytes. */
const LONGEST_KEY = 500

/** Escapes a text to printable ASCII, which Postgres stores in any encoding, unlike NUL. Different texts stay different. */
export function asciiText(text: string): string {
  return text.replace(/[^ -[\]-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** The same, for an index. A very long text becomes a digest, which cannot equal an escaped text. */
export async function keyText(text: string): Promise<string> {
  const ascii = asciiText(text)
  return ascii.length > LONGEST_KEY ? `\\sha256:${await sha256(ascii)}` : ascii
}
