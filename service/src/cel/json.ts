/** Converts a CEL value to JSON. */
export type CelValue =
  | null
  | boolean
  | number
  | string
  | readonly CelValue[]
  | { readonly [member: string]: CelValue }

/**
 * Uses protobuf's JSON mapping: integers beyond 2^53 become decimal strings, timestamps RFC 3339, durations seconds
 * (`3600s`) and bytes base64.
 *
 * @throws TypeError for values without a JSON form: types, NaN and infinity.
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
  const boxed: object = Object(value) // an instance of a class that the engine does not export
  const primitive: unknown = boxed.valueOf()
  if (typeof primitive === 'bigint') return toJson(primitive) // uint
  if (typeof primitive === 'number' && typeof value === 'object') return `${value}` // duration
  throw new TypeError('returns a value that JSON cannot represent')
}

/** Compares prototypes, because a body may have a member named `constructor`. */
function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

function object(entries: readonly (readonly [unknown, unknown])[]): CelValue {
  return Object.fromEntries(entries.map(([name, member]) => [`${name}`, toJson(member)]))
}

/**
 * Converts JSON objects to maps for the engine. It reads an object's `constructor`, and a body may have a member of
 * that name.
 */
export function fromJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromJson)
  if (!isPlain(value)) return value
  return new Map(Object.entries(value).map(([name, member]) => [name, fromJson(member)]))
}
