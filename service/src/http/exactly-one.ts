import { z } from '@hono/zod-openapi'
import { orNull } from './or-null.ts'

type Members = Readonly<Record<string, z.ZodType>>
type OrNull<Schema extends z.ZodType> = z.ZodUnion<[Schema, z.ZodNull]>

/** A response object with exactly one member set. The others are null. */
export function oneOfMembers<Each extends Members>(members: Each) {
  const nullable = Object.entries(members).map(([name, schema]) => [name, orNull(schema)])
  // `fromEntries` loses the key types.
  return z.object(Object.fromEntries(nullable) as { [Name in keyof Each]: OrNull<Each[Name]> })
}

/** A request object with exactly one member set. The others are null or absent. */
export function oneOfMembersInput<Each extends Members>(members: Each) {
  return oneOfMembers(members)
    .partial()
    .strict()
    .refine(...oneOf(members))
}

/** A request object with further members, of which exactly one must be set. Those that are absent become null. */
export function withOneOf<Shape extends z.ZodRawShape, Each extends Members>(
  object: z.ZodObject<Shape, z.core.$strict>,
  members: Each,
) {
  const nullable = Object.entries(members).map(([name, schema]) => [name, orNull(schema).default(null)])
  // As above.
  const shape = Object.fromEntries(nullable) as { [Name in keyof Each]: z.ZodDefault<OrNull<Each[Name]>> }
  return object.extend(shape).refine(...oneOf(members))
}

/** Arguments for `refine`: exactly one of these members must be set. */
function oneOf(members: Members): [(value: object) => boolean, { error: string }] {
  const among = (value: object) => setMembers(value).filter(([name]) => Object.hasOwn(members, name))
  const error = `Set exactly one of ${Object.keys(members).join(', ')}.`
  return [(value) => among(value).length === 1, { error }]
}

/** The members that are neither null nor absent, by name. */
export function setMembers(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, member]) => member !== null && member !== undefined)
}

/** Fills in null for the names that `value` does not set. */
export function withNulls<Name extends string>(
  names: readonly Name[],
  value: object,
): { [Key in Name]: unknown } {
  const members = names.map((name) => [name, Reflect.get(value, name) ?? null])
  // `fromEntries` loses the key types.
  return Object.fromEntries(members) as { [Key in Name]: unknown }
}
