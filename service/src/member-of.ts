/** Reads a member of anything. Undefined if there is none. */
export function memberOf(holder: unknown, name: string): unknown {
  return Reflect.get(Object(holder), name)
}
