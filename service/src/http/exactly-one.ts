import { z } from '@hono/zod-openapi'
import { orNull } from './or-null.ts'

/** An object of which one member is set, as the service answers it: the others are null. */
export function oneOfMembers<Members extends Record<string, z.ZodType>>(members: Members) {
  const nullable = Object.entries(members).map(([name, schema]) => [name, orNull(schema)])
  // `fromEntries` forgets the names.
  return z.object(
    Object.fromEntries(nullable) as { [Name in keyof Members]: z.ZodUnion<[Members[Name], z.ZodNull]> },
  )
}

/** The same as a request gives it: the one member, and perhaps null for others. */
export function oneOfMembersInput<Members extends Record<string, z.ZodType>>(members: Members) {
  const optional = Object.entries(members).map(([name, schema]) => [name, orNull(schema).optional()])
  // As above.
  const shape = Object.fromEntries(optional) as {
    [Name in keyof Members]: z.ZodOptional<z.ZodUnion<[Members[Name], z.ZodNull]>>
  }
  const names = Object.keys(members).join(', ')
  return z
    .strictObject(shape)
    .refine((value) => setMembers(value).length === 1, { error: `Set exactly one of ${names}.` })
}

/** Members of which a request sets one, and may leave the others out: they are null from then on. */
export function oneOfMembersOrNull<Members extends Record<string, z.ZodType>>(members: Members) {
  const nullable = Object.entries(members).map(([name, schema]) => [name, orNull(schema).default(null)])
  // As above.
  return Object.fromEntries(nullable) as {
    [Name in keyof Members]: z.ZodDefault<z.ZodUnion<[Members[Name], z.ZodNull]>>
  }
}

/** What `refine` takes, to hold an object to setting exactly one of these members. */
export function oneOf(members: object): [(value: object) => boolean, { error: string }] {
  const among = (value: object) => setMembers(value).filter(([name]) => Object.hasOwn(members, name))
  const error = `Set exactly one of ${Object.keys(members).join(', ')}.`
  return [(value) => among(value).length === 1, { error }]
}

/** The members that are neither null nor absent, by name. */
export function setMembers(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, member]) => member !== null && member !== undefined)
}

/** An object with every name, null where `value` sets nothing. */
export function withNulls<Name extends string>(
  names: readonly Name[],
  value: object,
): { [Key in Name]: unknown } {
  const members = names.map((name) => [name, Reflect.get(value, name) ?? null])
  // `fromEntries` forgets the names.
  return Object.fromEntries(members) as { [Key in Name]: unknown }
}
