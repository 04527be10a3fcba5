import { createRoute, z } from '@hono/zod-openapi'
import { requireRole } from '../http/bearer.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { derivedKey } from '../http/derived-key.ts'
import { listPage, pageOf, pageQuery } from '../http/list.ts'
import { PageTokens } from '../http/page-token.ts'
import { ADDITION, json, newRouter, type Router, refusals } from '../http/router.ts'
import {
  automationPatchSchema,
  automationSchema,
  createdAutomationSchema,
  newAutomationSchema,
} from './schema.ts'
import {
  ALL,
  type AutomationRow,
  automationOf,
  createAutomation,
  findAutomation,
  patchAutomation,
  publishAutomation,
} from './store.ts'

const common = { tags: ['Automations'], ...ADDITION }
const one = { path: '/api/v1/automations/{automation_id}', params: z.object({ automation_id: z.string() }) }
const automation = { description: 'The automation.', ...json(automationSchema) }

const createAutomationRoute = createRoute({
  ...common,
  method: 'post',
  path: '/api/v1/automations',
  operationId: 'createAutomation',
  summary: 'Create an automation with its incoming-webhook trigger',
  description:
    'Makes the listener URL, and for HMAC the secret, which is shown here only. Nothing runs before it is published and ' +
    'its trigger enabled. Takes the role `super_admin`.',
  request: { body: { required: true, ...json(newAutomationSchema) } },
  responses: {
    201: { description: 'The automation, and its secret.', ...json(createdAutomationSchema) },
    ...refusals('body_not_json', 'webhook_invalid', 'forbidden', 'body_too_large'),
  },
})

const listRoute = createRoute({
  ...common,
  method: 'get',
  path: '/api/v1/automations',
  operationId: 'listAutomations',
  summary: 'The automations, newest first',
  request: { query: pageQuery },
  responses: {
    200: {
      description: 'One page.',
      ...json(pageOf(z.object({ automation: automationSchema })).openapi('ListAutomationsResponse')),
    },
    ...refusals('page_token_invalid', 'forbidden'),
  },
})

const getRoute = createRoute({
  ...common,
  method: 'get',
  path: one.path,
  operationId: 'getAutomation',
  summary: 'One automation',
  request: { params: one.params },
  responses: { 200: automation, ...refusals('forbidden', 'automation_unknown') },
})

const patchRoute = createRoute({
  ...common,
  method: 'patch',
  path: one.path,
  operationId: 'updateAutomation',
  summary: 'Change what is named; enable or disable the trigger',
  request: { params: one.params, body: { required: true, ...json(automationPatchSchema) } },
  responses: {
    200: automation,
    ...refusals('body_not_json', 'webhook_invalid', 'forbidden', 'automation_unknown', 'body_too_large'),
  },
})

const publishRoute = createRoute({
  ...common,
  method: 'post',
  path: `${one.path}/action/publish`,
  operationId: 'publishAutomation',
  summary: 'Make the steps as they stand the ones that run',
  request: { params: one.params },
  responses: { 200: automation, ...refusals('forbidden', 'automation_unknown') },
})

export function automationRoutes(dependencies: Dependencies): Router {
  const { database, secret } = dependencies
  const tokens = new PageTokens(derivedKey(secret, 'page tokens'), ['automations'])
  const shown = (row: AutomationRow) => automationOf(database, dependencies, row)
  const show = async (id: string) => shown(await findAutomation(database, id))
  const router = newRouter()
  router.use('/api/v1/automations/*', async (c, next) => {
    requireRole(c.var.caller, 'super_admin')
    await next()
  })
  return router
    .openapi(createAutomationRoute, async (c) => {
      const { id, signingSecret } = await database.transaction((tx) =>
        createAutomation(tx, dependencies, c.var.caller, c.req.valid('json')),
      )
      return c.json({ automation: await show(id), signingSecret }, 201, { 'cache-control': 'no-store' })
    })
    .openapi(listRoute, async (c) => {
      const { rows, nextPageToken } = await listPage<AutomationRow>(
        database,
        ALL,
        c.req.valid('query'),
        tokens,
      )
      const list = await Promise.all(rows.map(async (row) => ({ automation: await shown(row) })))
      return c.json({ list, nextPageToken }, 200)
    })
    .openapi(getRoute, async (c) => c.json(await show(c.req.valid('param').automation_id), 200))
    .openapi(patchRoute, async (c) => {
      const { automation_id } = c.req.valid('param')
      await database.transaction((tx) =>
        patchAutomation(tx, dependencies, automation_id, c.req.valid('json')),
      )
      return c.json(await show(automation_id), 200)
    })
    .openapi(publishRoute, async (c) => {
      const { automation_id } = c.req.valid('param')
      await database.transaction((tx) => publishAutomation(tx, dependencies, automation_id))
      return c.json(await show(automation_id), 200)
    })
}
