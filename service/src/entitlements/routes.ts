import { createRoute, z } from '@hono/zod-openapi'
import type { Dependencies } from '../http/dependencies.ts'
import { type Listing, listPage, pageOf, pageQuery } from '../http/list.ts'
import { Problem } from '../http/problem.ts'
import { json, newRouter, type Router, refusals } from '../http/router.ts'
import { type Dated, timestamp, withIso } from '../http/timestamp.ts'

const appEntitlementSchema = z
  .object({
    id: z.string(),
    appId: z.string(),
    displayName: z.string(),
    description: z.string(),
    createdAt: timestamp,
  })
  .openapi('AppEntitlement', {
    description: 'The specification names this object (4.3) but shows no fields. All fields are additions.',
  })

export type AppEntitlement = z.infer<typeof appEntitlementSchema>

const listRoute = createRoute({
  method: 'get',
  path: '/api/v1/apps/{app_id}/entitlements',
  operationId: 'listAppEntitlements',
  summary: 'List the entitlements of an app, by name',
  tags: ['Entitlements'],
  request: { params: z.object({ app_id: z.string() }), query: pageQuery },
  responses: {
    200: {
      description: 'One page.',
      ...json(
        pageOf(z.object({ appEntitlement: appEntitlementSchema })).openapi('ListAppEntitlementsResponse'),
      ),
    },
    ...refusals('page_token_invalid', 'app_unknown'),
  },
})

/** The entitlements of an app, ordered by name, under the names of the response. */
function entitlementsOf(appId: string): Listing {
  return {
    name: 'entitlements',
    select: `id, app_id AS "appId", display_name AS "displayName", description, created_at AS "createdAt"
      FROM app_entitlements`,
    where: 'app_id = $1',
    params: [appId],
    keys: ['display_name', 'id'],
    order: 'ASC',
  }
}

export function entitlementRoutes(dependencies: Dependencies): Router {
  return newRouter().openapi(listRoute, async (c) => {
    const { app_id } = c.req.valid('param')
    const [app] = await dependencies.database.query('SELECT FROM apps WHERE id = $1', [app_id])
    if (app === undefined) throw new Problem('app_unknown', 'No app has this ID.')
    const show = (rows: Dated<AppEntitlement>[]) => ({
      list: rows.map((row) => ({ appEntitlement: withIso(row) })),
    })
    return c.json(await listPage(dependencies, entitlementsOf(app_id), c.req.valid('query'), show), 200)
  })
}
