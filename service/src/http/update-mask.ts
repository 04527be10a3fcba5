import { z } from '@hono/zod-openapi'
import { Problem } from './problem.ts'

export const updateMask = z
  .string()
  .max(2_000)
  .nullish()
  .openapi({
    description:
      'The fields to set, separated by commas, in camel or snake case. `*` means all. A field that is named here ' +
      'and absent from the object is cleared. Default: the fields that are present.',
    examples: ['displayName,description'],
  })

/**
 * Finds the fields that an update sets. Clients send whole objects, so read-only fields are ignored unless the mask
 * names them.
 *
 * @param cleared The value of each settable field once cleared. Undefined if the field cannot be cleared.
 * @throws Problem `request_invalid` if the mask names an unknown field, or clears a field that cannot be cleared.
 */
export function maskedUpdate<Update extends object>(
  given: Update,
  mask: string | null | undefined,
  cleared: { readonly [Name in keyof Update]?: Update[Name] },
): Update {
  const settable = Object.keys(cleared)
  const givenAs = (name: string) => Reflect.get(given, name) as unknown // `get` returns any
  const masked = namesIn(mask, settable)
  const names = masked ?? settable.filter((name) => givenAs(name) !== undefined)
  const fields = names.map((name) => [name, givenAs(name) ?? Reflect.get(cleared, name)])
  const missing = fields.find(([, value]) => value === undefined)
  if (missing !== undefined) refuse(`names ${missing[0]}, which the object lacks and which cannot be cleared`)
  // `fromEntries` loses the key types.
  return Object.fromEntries(fields) as Update
}

/** Undefined without a mask. */
function namesIn(
  mask: string | null | undefined,
  settable: readonly string[],
): readonly string[] | undefined {
  if (!mask) return undefined
  const names = mask.split(',').map((name) => camelCase(name.trim()))
  if (names.includes('*')) return settable
  if (!names.every((name) => settable.includes(name))) refuse(`takes ${settable.join(', ')}, or *`)
  return names
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

function refuse(rule: string): never {
  throw new Problem('request_invalid', `updateMask ${rule}.`, [{ pointer: '/updateMask', detail: rule }])
}
