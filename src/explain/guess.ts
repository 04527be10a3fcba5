import type { KeyForm } from '../scheme.ts'
import { jsonExcess } from '../schemes/kit/read-limits.ts'

/** What may have been signed instead, and why. Omitted members are unchanged. */
export interface Guess {
  /** The mistakes and their fixes, a sentence each. Empty for the delivery as it came. */
  readonly says: readonly string[]
  readonly secret?: string
  /** The secret is turned into a key in another way. */
  readonly key?: KeyForm
  /** Another template. */
  readonly signs?: string
  readonly publicUrl?: string
  readonly body?: Uint8Array
}

/** A text that may have been signed, and why. */
export type Text = readonly [says: string, text: string]

/**
 * A guess of each text, made as it is asked for, without repetitions. The first to say it wins. `seen` are the texts that change
 * nothing, and gets the others.
 */
export function* guessesOf(
  texts: Iterable<Text>,
  seen: Set<string>,
  asGuess: (text: string) => Omit<Guess, 'says'>,
): Iterable<Guess> {
  for (const [says, text] of texts) {
    if (seen.has(text)) continue
    seen.add(text)
    yield { says: [says], ...asGuess(text) }
  }
}

/** Undefined if the bytes are not JSON, or are over 64 levels deep: writing them again could overflow the stack. */
export function jsonOf(bytes: Uint8Array): unknown {
  if (jsonExcess(bytes, Infinity) !== undefined) return undefined
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}
