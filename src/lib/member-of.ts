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
