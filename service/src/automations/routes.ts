import type { Dependencies } from '../http/dependencies.ts'
import { derivedKey } from '../http/derived-key.ts'
import { listPage } from '../http/list.ts'
import { PageTokens } from '../http/page-token.ts'
import { newRouter, type Router } from '../http/router.ts'
import {
  createOperation,
  listOperation,
  patchOperation,
  publishOperation,
  readOperation,
} from './operations.ts'
import {
  ALL,
  type AutomationRow,
  automationOf,
  createAutomation,
  findAutomation,
  patchAutomation,
  publishAutomation,
} from './store.ts'

/** All of it takes the role `super_admin` (specification 4.2, rule 1). */
export function automationRoutes(dependencies: Dependencies): Router {
  return newRouter().route('/', writing(dependencies)).route('/', reading(dependencies))
}

async function shown(dependencies: Dependencies, id: string) {
  const { database } = dependencies
  return { automation: await automationOf(database, dependencies, await findAutomation(database, id)) }
}

function writing(dependencies: Dependencies): Router {
  const { database } = dependencies
  return newRouter()
    .openapi(createOperation, async (c) => {
      const { id, signingSecret } = await database.transaction((tx) =>
        createAutomation(tx, dependencies, c.var.caller, c.req.valid('json')),
      )
      const { automation } = await shown(dependencies, id)
      return c.json({ automation, signingSecret }, 200, { 'cache-control': 'no-store' })
    })
    .openapi(patchOperation, async (c) => {
      const { automation_id: id } = c.req.valid('param')
      await database.transaction((tx) => patchAutomation(tx, dependencies, id, c.req.valid('json')))
      return c.json(await shown(dependencies, id), 200)
    })
    .openapi(publishOperation, async (c) => {
      const { automation_id: id } = c.req.valid('param')
      await database.transaction((tx) => publishAutomation(tx, dependencies, id))
      return c.json(await shown(dependencies, id), 200)
    })
}

function reading(dependencies: Dependencies): Router {
  const { database, secret } = dependencies
  const tokens = new PageTokens(derivedKey(secret, 'page tokens'), ['automations'])
  return newRouter()
    .openapi(listOperation, async (c) => {
      const page = await listPage<AutomationRow>(database, ALL, c.req.valid('query'), tokens)
      const automations = await Promise.all(page.rows.map((row) => automationOf(database, dependencies, row)))
      const list = automations.map((automation) => ({ automation }))
      return c.json({ list, nextPageToken: page.nextPageToken }, 200)
    })
    .openapi(readOperation, async (c) =>
      c.json(await shown(dependencies, c.req.valid('param').automation_id), 200),
    )
}
