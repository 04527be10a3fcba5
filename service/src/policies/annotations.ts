import { Problem } from '../http/problem.ts'

/** Specification, 8.2. */
const MAX_ENTRIES = 16
const MAX_KEY_LENGTH = 128
const MAX_VALUE_LENGTH = 256

/** The characters that RFC 3986 allows in a URI: "URL-safe ASCII". */
const URL_SAFE = /^[\w.~:/?#[\]@!$&'()*+,;=%-]*$/

const RESERVED = 'c1/'

export type Annotations = Readonly<Record<string, string>>

/**
 * Merges annotations (specification, 2.9). Absent keys are kept, and an empty value deletes its key.
 *
 * @throws Problem `policy_invalid`, also for setting or deleting a reserved key.
 */
export function mergeAnnotations(kept: Annotations, given: Annotations): Annotations {
  for (const [key, value] of Object.entries(given)) checkAnnotation(key, value)
  const merged = Object.entries({ ...kept, ...given }).filter(([, value]) => value !== '')
  if (merged.length > MAX_ENTRIES)
    refuse(`must have at most ${MAX_ENTRIES} entries; this makes ${merged.length}`)
  return Object.fromEntries(merged)
}

function checkAnnotation(key: string, value: string): void {
  if (key === '' || key.length > MAX_KEY_LENGTH) refuse(`must have keys of 1 to ${MAX_KEY_LENGTH} characters`)
  if (value.length > MAX_VALUE_LENGTH) refuse(`must have values of at most ${MAX_VALUE_LENGTH} characters`)
  if (!URL_SAFE.test(key) || !URL_SAFE.test(value)) refuse('must hold only characters allowed in a URL')
  if (key.startsWith(RESERVED)) refuse(`with keys that start with ${RESERVED} are reserved`)
}

function refuse(rule: string): never {
  throw new Problem('policy_invalid', `Annotations ${rule}.`)
}
