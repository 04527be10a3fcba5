import { sha256 } from '#crypto'

/** An index entry of Postgres has room for about 2,700 bytes. */
const LONGEST_LISTENER_ID = 500

/** Escapes a text to printable ASCII, which Postgres stores in any encoding, unlike NUL. Different texts stay different. */
export function asciiText(text: string): string {
  return text.replace(/[^ -[\]-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** A listener's ID as stored. A very long one becomes a digest, which cannot equal an escaped text. */
export async function listenerText(listenerId: string): Promise<string> {
  const text = asciiText(listenerId)
  return text.length > LONGEST_LISTENER_ID ? `\\sha256:${await sha256(text)}` : text
}
