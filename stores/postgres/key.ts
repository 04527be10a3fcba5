import { sha256 } from '#crypto'
import type { MaybePromise } from '../../src/lib/maybe-promise.ts'

/** An index entry of Postgres has room for about 2,700 bytes. */
const LONGEST_LISTENER_ID = 500

/** Any text as one that Postgres can hold whatever its encoding is: NUL is no character there. Two stay two. */
export function asciiText(text: string): string {
  return text.replace(/[^ -[\]-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** A listener's id as it stands in the table; a very long one as its digest, which no escaped text begins like. */
export function listenerText(listenerId: string): MaybePromise<string> {
  const text = asciiText(listenerId)
  return text.length > LONGEST_LISTENER_ID ? digestOf(text) : text
}

async function digestOf(text: string): Promise<string> {
  return `\\sha256:${await sha256(text)}`
}
