import { Problem } from '../http/problem.ts'

/** Specification, 8.2. */
const MAX_ENTRIES = 16
const MAX_KEY_LENGTH = 128
const MAX_VALUE_LENGTH = 256

/** What RFC 3986 lets stand in a URI: "URL-safe ASCII". */
const URL_SAFE = /^[\w.~:/?#[\]@!$&'()*+,;=%-]*$/

const RESERVED = 'c1/'

export type Annotations = Readonly<Record<string, string>>

/**
 * PATCH semantics (specification, 2.9): absent keys are kept, an empty value deletes its key.
 *
 * @throws Problem `policy_invalid`, also for a reserved key, which is neither set nor deleted.
 */
export function mergeAnnotations(kept: Annotations, given: Annotations): Annotations {
  for (const [key, value] of Object.entries(given)) checkAnnotation(key, value)
  const merged = Object.entries({ ...kept, ...given }).filter(([, value]) => value !== '')
  if (merged.length > MAX_ENTRIES) refuse(`are at most ${MAX_ENTRIES} entries; this makes ${merged.length}`)
  return Object.fromEntries(merged)
}

function checkAnnotation(key: string, value: string): void {
  if (key === '' || key.length > MAX_KEY_LENGTH) refuse(`have keys of 1 to ${MAX_KEY_LENGTH} characters`)
  if (value.length > MAX_VALUE_LENGTH) refuse(`have values of at most ${MAX_VALUE_LENGTH} characters`)
  if (!URL_SAFE.test(key) || !URL_SAFE.test(value)) refuse('hold only characters that a URL may hold')
  if (key.startsWith(RESERVED)) refuse(`with keys that start with ${RESERVED} are reserved`)
}

function refuse(rule: string): never {
  throw new Problem('policy_invalid', `Annotations ${rule}.`)
}
