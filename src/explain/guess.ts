import type { KeyForm } from '../scheme/scheme.ts'

/** What may have been signed instead, and why. Members that are left out are as they were. */
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

/** Every pair of them, both at once. */
export function pairs(ones: readonly Guess[], others: readonly Guess[]): readonly Guess[] {
  return ones.flatMap((one) =>
    others.map((other) => ({ ...one, ...other, says: [...one.says, ...other.says] })),
  )
}

/** Without those that change nothing, and without repetitions. The first to say it wins. */
export function distinct<Value>(
  guesses: readonly (readonly [says: string, value: Value])[],
  isSame: (value: Value) => boolean,
): readonly (readonly [says: string, value: Value])[] {
  const seen = new Set<Value>()
  return guesses.filter(([, value]) => {
    if (isSame(value) || seen.has(value)) return false
    seen.add(value)
    return true
  })
}
