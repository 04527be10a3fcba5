import type { Json } from '../lib/json.ts'

/** The steps of a JSON pointer (RFC 6901): `/data/id` is `data`, `id`. */
export function pointerSteps(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** The member that the steps lead to. Inherited ones are none. */
export function memberAt(payload: unknown, steps: readonly string[]): Json | undefined {
  let found: unknown = payload
  for (const step of steps) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return undefined
    found = Reflect.get(found, step)
  }
  return found as Json // whatever stands in a parsed body
}

/** A member as text: texts as they are, whole numbers in digits. */
export function textAt(payload: unknown, steps: readonly string[]): string | undefined {
  const member = memberAt(payload, steps)
  if (typeof member === 'string') return member
  return Number.isSafeInteger(member) ? `${member}` : undefined
}
