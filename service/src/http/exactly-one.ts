import { z } from '@hono/zod-openapi'
import { orNull } from './or-null.ts'

/** A response object with exactly one member set. The others are null. */
export function oneOfMembers<Members extends Record<string, z.ZodType>>(members: Members) {
  const nullable = Object.entries(members).map(([name, schema]) => [name, orNull(schema)])
  // `fromEntries` loses the key types.
  return z.object(
    Object.fromEntries(nullable) as { [Name in keyof Members]: z.ZodUnion<[Members[Name], z.ZodNull]> },
  )
}

/** A request object with exactly one member set. The others are null or absent. */
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

/** Members of which a request sets exactly one. Absent ones become null. */
export function oneOfMembersOrNull<Members extends Record<string, z.ZodType>>(members: Members) {
  const nullable = Object.entries(members).map(([name, schema]) => [name, orNull(schema).default(null)])
  // As above.
  return Object.fromEntries(nullable) as {
    [Name in keyof Members]: z.ZodDefault<z.ZodUnion<[Members[Name], z.ZodNull]>>
  }
}

/** Arguments for `refine`: exactly one of these members must be set. */
export function oneOf(members: object): [(value: object) => boolean, { error: string }] {
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
