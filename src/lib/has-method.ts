/** Whether a value of unknown type has this method, its own or inherited. */
export function hasMethod(holder: unknown, method: string): boolean {
  return typeof Reflect.get(Object(holder), method) === 'function'
}
