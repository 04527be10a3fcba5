import type { Json } from '../lib/json.ts'

/** Splits a JSON pointer (RFC 6901): `/data/id` becomes `data`, `id`. */
export function pointerSteps(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Finds the value at the end of the path. Ignores inherited properties. */
export function memberAt(payload: unknown, steps: readonly string[]): Json | undefined {
  let found: unknown = payload
  for (const step of steps) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return undefined
    found = Reflect.get(found, step)
  }
  return found as Json // a value within a parsed body
}

/** Returns a string member, or a safe integer as text. Undefined for other types. */
export function textAt(payload: unknown, steps: readonly string[]): string | undefined {
  const member = memberAt(payload, steps)
  if (typeof member === 'string') return member
  return Number.isSafeInteger(member) ? `${member}` : undefined
}
