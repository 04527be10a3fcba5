import { createRoute, z } from '@hono/zod-openapi'
import type { Dependencies } from '../http/dependencies.ts'
import { derivedKey } from '../http/derived-key.ts'
import { listPage, pageOf, pageQuery } from '../http/list.ts'
import { PageTokens } from '../http/page-token.ts'
import { Problem } from '../http/problem.ts'
import { json, newRouter, type Router, refusals } from '../http/router.ts'
import { appEntitlementSchema } from './schema.ts'
import { appEntitlement, type EntitlementRow, entitlementsOf } from './store.ts'

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

export function entitlementRoutes({ database, secret }: Dependencies): Router {
  const key = derivedKey(secret, 'page tokens')
  return newRouter().openapi(listRoute, async (c) => {
    const { app_id } = c.req.valid('param')
    const tokens = new PageTokens(key, ['entitlements', app_id])
    const [app] = await database.query('SELECT FROM apps WHERE id = $1', [app_id])
    if (app === undefined) throw new Problem('app_unknown', 'No app has this ID.')
    const listing = entitlementsOf(app_id)
    const show = (rows: EntitlementRow[]) => ({
      list: rows.map((row) => ({ appEntitlement: appEntitlement(row) })),
    })
    return c.json(await listPage(database, listing, c.req.valid('query'), tokens, show), 200)
  })
}
