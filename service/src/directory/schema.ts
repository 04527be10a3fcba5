import { z } from '@hono/zod-openapi'
import { anyMembers } from '../http/as-given.ts'

const id = z.string().min(1).max(200)
const displayName = z.string().min(1).max(256)
/** A task may refer to 100 of these objects. */
const MOST_CHARACTERS = 16_384
const related = anyMembers(z.object({ id }), MOST_CHARACTERS).openapi({
  properties: { id: { type: 'string' } },
  required: ['id'],
  description: 'The specification does not show its fields. They are kept as given.',
})

const bindings = related.openapi({
  description: 'All scope bindings of one entitlement, with its ID. They are kept as given.',
})

/** Protobuf's range of timestamps. Later ones have no four-digit year. */
const [EARLIEST, LATEST] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')]

/** Any offset is taken, and UTC is stored, in milliseconds. */
const lastUsedAt = z.iso
  .datetime({ offset: true, abort: true }) // without `abort`, `overwrite` would see other texts and throw
  .refine(
    (text) => EARLIEST <= Date.parse(text) && Date.parse(text) <= LATEST,
    'must be in the years 1 to 9999',
  )
  .overwrite((text) => new Date(text).toISOString())

const user = { displayName, email: z.string().max(320).default('') }
const app = { displayName }
const entitlement = { displayName, description: z.string().max(4_096).default('') }
const appUser = {
  displayName,
  identityUserId: id.optional().openapi({ description: 'The user who owns the account, if known.' }),
  lastUsedAt: lastUsedAt.nullish(),
}

/** An object to create. The service generates a missing ID. */
export const newUser = z.strictObject({ id: id.optional(), ...user }).openapi('NewUser')
export const newApp = z.strictObject({ id: id.optional(), ...app }).openapi('NewApp')
export const newEntitlement = z.strictObject({ id: id.optional(), ...entitlement }).openapi('NewEntitlement')
export const newAppUser = z.strictObject({ id: id.optional(), ...appUser }).openapi('NewAppUser')
export const newRelated = anyMembers(z.object({ id: id.optional() }), MOST_CHARACTERS).openapi(
  'NewRelatedObject',
  {
    properties: { id: { type: 'string' } },
    description: 'The specification does not show its fields. They are kept as given.',
  },
)

/** Refuses a repeated ID. */
function listOf<Item extends z.ZodType<{ readonly id: string }>>(item: Item) {
  const distinct = (items: readonly { readonly id: string }[]) =>
    new Set(items.map((each) => each.id)).size === items.length
  return z.array(item).refine(distinct, 'repeats an ID').default([])
}

/** The body of an import, and the content of a seed file. */
export const directorySchema = z
  .strictObject({
    $schema: z.string().optional(),
    users: listOf(z.strictObject({ id, ...user })),
    apps: listOf(z.strictObject({ id, ...app })),
    entitlements: listOf(z.strictObject({ id, appId: id, ...entitlement })),
    appUsers: listOf(z.strictObject({ id, appId: id, ...appUser })),
    accessReviews: listOf(related),
    insights: listOf(related),
    appResources: listOf(related),
    entitlementScopeBindings: listOf(bindings),
  })
  .openapi('Directory', { description: 'All objects except automations, policies and tasks.' })

export type Directory = Omit<z.infer<typeof directorySchema>, '$schema'>
export type Collection = keyof Directory

/** The JSON Schema of a seed file. */
export function seedFileSchema(): object {
  return z.toJSONSchema(directorySchema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === 'custom')
        Object.assign(jsonSchema, {
          type: 'object',
          properties: { id: { type: 'string' } },
          required: ['id'],
        })
    },
  })
}
