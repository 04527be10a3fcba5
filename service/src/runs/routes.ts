import { createRoute, z } from '@hono/zod-openapi'
import { findAutomation } from '../automations/store.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { listPage, pageOf, pageQuery } from '../http/list.ts'
import { Problem } from '../http/problem.ts'
import { ADDITION, json, newRouter, type Router, refusals } from '../http/router.ts'
import { takes } from '../http/takes.ts'
import { type Dated, withIso } from '../http/timestamp.ts'
import { type RecordResource, recordSchema, runSchema } from './schema.ts'
import { findRun, listingOf, type RunRow, shownRuns } from './store.ts'

const common = { method: 'get' as const, tags: ['Automations'], ...ADDITION, ...takes('super_admin') }
const ofAutomation = { params: z.object({ automation_id: z.string() }), query: pageQuery }

function onePage<Element extends z.ZodType>(element: Element, name: string) {
  return {
    200: { description: 'One page.', ...json(pageOf(element).openapi(name)) },
    ...refusals('page_token_invalid', 'forbidden', 'automation_unknown'),
  }
}

const listRunsRoute = createRoute({
  ...common,
  path: '/api/v1/automations/{automation_id}/runs',
  operationId: 'listRuns',
  summary: 'List the runs of an automation, newest first, with inputs, outcomes and errors',
  request: ofAutomation,
  responses: onePage(z.object({ run: runSchema }), 'ListRunsResponse'),
})

const listRecordsRoute = createRoute({
  ...common,
  path: '/api/v1/automations/{automation_id}/records',
  operationId: 'listRecords',
  summary: 'List what the record steps of an automation stored, newest first',
  request: ofAutomation,
  responses: onePage(z.object({ record: recordSchema }), 'ListRecordsResponse'),
})

const getRunRoute = createRoute({
  ...common,
  path: '/api/v1/runs/{run_id}',
  operationId: 'getRun',
  summary: 'One run',
  request: { params: z.object({ run_id: z.string() }) },
  responses: {
    200: { description: 'The run.', ...json(runSchema) },
    ...refusals('forbidden', 'run_unknown'),
  },
})

/** Requires the role `super_admin`, because inputs are other people's data. */
export function runRoutes(dependencies: Dependencies): Router {
  const { database } = dependencies
  return newRouter()
    .openapi(listRunsRoute, async (c) => {
      const { id } = await findAutomation(database, c.req.valid('param').automation_id)
      const show = async (rows: RunRow[]) => ({
        list: (await shownRuns(database, rows)).map((run) => ({ run })),
      })
      return c.json(await listPage(dependencies, listingOf('runs', id), c.req.valid('query'), show), 200)
    })
    .openapi(listRecordsRoute, async (c) => {
      const { id } = await findAutomation(database, c.req.valid('param').automation_id)
      const show = (rows: Dated<RecordResource>[]) => ({
        list: rows.map((row) => ({ record: withIso(row) })),
      })
      return c.json(await listPage(dependencies, listingOf('records', id), c.req.valid('query'), show), 200)
    })
    .openapi(getRunRoute, async (c) => {
      const row = await findRun(database, c.req.valid('param').run_id)
      const [run] = row ? await shownRuns(database, [row]) : []
      if (run === undefined) throw new Problem('run_unknown', 'No run has this ID.')
      return c.json(run, 200)
    })
}
