import { sha256 } from '#crypto'

/** Escapes a text to printable ASCII, which a database stores in any encoding, unlike NUL. Different texts stay different. */
export function asciiText(text: string): string {
  return text.replace(/[^ -[\]-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** A text of any length as stored: in ASCII, or, beyond `longest`, as a digest, which cannot equal an escaped text. */
export async function storedText(text: string, longest: number): Promise<string> {
  const ascii = asciiText(text)
  return ascii.length > longest ? `\\sha256:${await sha256(ascii)}` : ascii
}
