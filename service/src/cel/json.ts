/** A CEL value as JSON has it. */
export type CelValue =
  | null
  | boolean
  | number
  | string
  | readonly CelValue[]
  | { readonly [member: string]: CelValue }

/**
 * CEL has more types than JSON, and this is the JSON form of each as protobuf defines it: integers beyond 2^53 as decimal
 * strings, timestamps as RFC 3339, durations as seconds (`3600s`), bytes as base64.
 *
 * @throws TypeError for values that JSON has no form of: a type, NaN, infinity.
 */
export function toJson(value: unknown): CelValue {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : `${value}`
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (Array.isArray(value)) return value.map(toJson)
  if (value instanceof Map) return object([...value])
  if (isPlain(value)) return object(Object.entries(value))
  const primitive: unknown = Object(value).valueOf() // the engine's own classes, which it does not export
  if (typeof primitive === 'bigint') return toJson(primitive) // uint
  if (typeof primitive === 'number' && typeof value === 'object') return `${value}` // duration
  throw new TypeError('gives a value that JSON has no form of')
}

/** By the prototype: a body may have a member `constructor` of its own. */
function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

function object(entries: readonly (readonly [unknown, unknown])[]): CelValue {
  return Object.fromEntries(entries.map(([name, member]) => [`${name}`, toJson(member)]))
}

/**
 * JSON as the engine shall see it: objects as maps. The engine asks an object for its `constructor`, and a body may have
 * a member of that name.
 */
export function fromJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromJson)
  if (!isPlain(value)) return value
  return new Map(Object.entries(value).map(([name, member]) => [name, fromJson(member)]))
}
