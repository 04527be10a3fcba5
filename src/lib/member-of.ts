/**
 * Reads a member of something foreign, e.g. of an error that a store threw. Undefined if there is none, or if reading it
 * throws: a getter may, and so may a proxy.
 */
export function memberOf(holder: unknown, name: PropertyKey): unknown {
  try {
    return Reflect.get(Object(holder), name)
  } catch {
    return undefined
  }
}

/** Like `memberOf`, but only text: a foreign error's `message` or `code` may be anything. */
export function textOf(holder: unknown, name: PropertyKey): string | undefined {
  const member = memberOf(holder, name)
  return typeof member === 'string' ? member : undefined
}

/** `instanceof` for something foreign. False if looking throws, as it does for a revoked proxy. */
export function isA<Kind>(value: unknown, kind: abstract new (...given: never[]) => Kind): value is Kind {
  try {
    return value instanceof kind
  } catch {
    return false
  }
}
