import { createRoute, z } from '@hono/zod-openapi'
import { type Collection, collectionRoutes } from '../http/collection.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { ADDITION, json, newRouter, type Router, refusals } from '../http/router.ts'
import { takes } from '../http/takes.ts'
import {
  type AutomationPatch,
  automationPatchSchema,
  automationResponse,
  createdAutomationSchema,
  newAutomationSchema,
  type SearchAutomations,
  searchAutomationsRequest,
} from './schema.ts'
import {
  type AutomationRow,
  automationOf,
  automationsLike,
  createAutomation,
  deleteAutomation,
  findAutomation,
  patchAutomation,
  publishAutomation,
} from './store.ts'

const common = { method: 'post' as const, tags: ['Automations'], ...ADDITION, ...takes('super_admin') }

const createOperation = createRoute({
  ...common,
  path: '/api/v1/automations',
  operationId: 'createAutomation',
  summary: 'Create an automation with its incoming-webhook trigger',
  description:
    'Creates the listener URL, and for HMAC the secret, which is shown only here. Nothing runs until it is published and ' +
    'its trigger is enabled. Requires the role `super_admin`.',
  request: { body: { required: true, ...json(newAutomationSchema) } },
  responses: {
    200: { description: 'The automation and its secret.', ...json(createdAutomationSchema) },
    ...refusals('body_not_json', 'webhook_invalid', 'forbidden', 'body_too_large'),
  },
})

const publishOperation = createRoute({
  ...common,
  path: '/api/v1/automations/{automation_id}/action/publish',
  operationId: 'publishAutomation',
  summary: 'Publish the current steps',
  request: { params: z.object({ automation_id: z.string() }) },
  responses: {
    200: { description: 'The automation.', ...json(automationResponse) },
    ...refusals('forbidden', 'automation_unknown', 'body_too_large'),
  },
})

function automations(
  dependencies: Dependencies,
): Collection<AutomationRow, SearchAutomations, AutomationPatch> {
  return {
    names: ['Automation', 'Automations'],
    readers: 'super_admin',
    summaries: {
      list: 'The automations, newest first',
      read: 'One automation',
      search: 'Search automations, newest first',
      change: 'Change the fields that are present; enable or disable the trigger',
      remove: 'Delete an automation with its listener and secrets; accepted runs continue',
    },
    response: automationResponse,
    searchRequest: searchAutomationsRequest,
    changeRequest: automationPatchSchema,
    unknown: 'automation_unknown',
    refused: { change: ['webhook_invalid'], remove: [] },
    matching: automationsLike,
    find: findAutomation,
    show: (database, row) => automationOf(database, dependencies, row),
    change: (tx, id, patch) => patchAutomation(tx, dependencies, id, patch),
    remove: (tx, id) => deleteAutomation(tx, dependencies, id),
  }
}

/** Every route requires the role `super_admin`. */
export function automationRoutes(dependencies: Dependencies): Router {
  const { database } = dependencies
  return newRouter()
    .route('/', collectionRoutes(automations(dependencies), dependencies))
    .openapi(createOperation, async (c) => {
      const reply = await database.transaction(async (tx) => {
        const made = await createAutomation(tx, dependencies, c.var.caller, c.req.valid('json'))
        const row = await findAutomation(tx, made.id)
        return { automation: await automationOf(tx, dependencies, row), signingSecret: made.signingSecret }
      })
      return c.json(reply, 200, { 'cache-control': 'no-store' })
    })
    .openapi(publishOperation, async (c) => {
      const automation = await database.transaction(async (tx) => {
        const row = await publishAutomation(tx, dependencies, c.req.valid('param').automation_id)
        return automationOf(tx, dependencies, row)
      })
      return c.json({ automation }, 200)
    })
}
