import { createRoute, z } from '@hono/zod-openapi'
import type { Dependencies } from '../http/dependencies.ts'
import { ADDITION, json, newRouter, type Router, refusals } from '../http/router.ts'
import { takes } from '../http/takes.ts'
import { createInDirectory, importDirectory } from './import.ts'
import {
  type Collection,
  directorySchema,
  newApp,
  newAppUser,
  newEntitlement,
  newRelated,
  newUser,
} from './schema.ts'

const common = { method: 'post' as const, tags: ['Directory'], ...ADDITION, ...takes('super_admin') }
const REFUSED = ['body_not_json', 'reference_unknown', 'forbidden', 'id_taken', 'body_too_large'] as const

/** The paths that create objects: the collection, its schema, and the object's name in the response. */
const CREATED = [
  ['/api/v1/users', 'users', newUser, 'user'],
  ['/api/v1/apps', 'apps', newApp, 'app'],
  ['/api/v1/apps/{app_id}/entitlements', 'entitlements', newEntitlement, 'appEntitlement'],
  ['/api/v1/apps/{app_id}/app_users', 'appUsers', newAppUser, 'appUser'],
  ['/api/v1/access_reviews', 'accessReviews', newRelated, 'accessReview'],
  ['/api/v1/insights', 'insights', newRelated, 'insight'],
] as const satisfies readonly (readonly [string, Collection, z.ZodType, string])[]

const importOperation = createRoute({
  ...common,
  path: '/api/v1/import',
  operationId: 'importDirectory',
  summary: 'Create or update many objects at once, as a seed file does; deletes nothing',
  request: { body: { required: true, ...json(directorySchema) } },
  responses: {
    200: { description: 'Imported.', ...json(z.object({}).openapi('ImportResponse')) },
    ...refusals(...REFUSED),
  },
})

function createOperation([path, collection, schema, name]: (typeof CREATED)[number]) {
  const ofApp = path.includes('{app_id}') && { params: z.object({ app_id: z.string() }) }
  return createRoute({
    ...common,
    path,
    operationId: `create${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    summary: `Create one of the ${collection}`,
    request: { ...ofApp, body: { required: true, ...json(schema as z.ZodType<{ id?: string }>) } }, // each has one
    responses: {
      200: {
        description: 'The stored object.',
        ...json(z.object({ [name]: z.object({ id: z.string() }) })),
      },
      ...refusals(...REFUSED),
    },
  })
}

export function directoryRoutes(dependencies: Dependencies): Router {
  const { database, newId } = dependencies
  const router = newRouter()
  router.openapi(importOperation, async (c) => {
    const { $schema: _, ...directory } = c.req.valid('json')
    await database.transaction((tx) => importDirectory(tx, directory, dependencies))
    return c.json({}, 200)
  })
  for (const row of CREATED) {
    const [, collection, , name] = row
    router.openapi(createOperation(row), async (c) => {
      const appId = c.req.param('app_id')
      const item = { id: newId(), ...c.req.valid('json'), ...(appId !== undefined && { appId }) }
      await database.transaction((tx) => createInDirectory(tx, collection, item, dependencies))
      return c.json({ [name]: item }, 200)
    })
  }
  return router
}
