import type { Transaction } from '../database/database.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { derivedKey } from '../http/derived-key.ts'
import { listPage, type PageRequest } from '../http/list.ts'
import { PageTokens } from '../http/page-token.ts'
import { newRouter, type Router } from '../http/router.ts'
import {
  createOperation,
  deleteOperation,
  listOperation,
  patchOperation,
  publishOperation,
  readOperation,
  searchOperation,
} from './operations.ts'
import type { AutomationFilters } from './schema.ts'
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

/** Every route requires the role `super_admin`. */
export function automationRoutes(dependencies: Dependencies): Router {
  return newRouter().route('/', reading(dependencies)).route('/', writing(dependencies))
}

async function shown(dependencies: Dependencies, id: string) {
  const { database } = dependencies
  return { automation: await automationOf(database, dependencies, await findAutomation(database, id)) }
}

function reading(dependencies: Dependencies): Router {
  const { database, secret } = dependencies
  const key = derivedKey(secret, 'page tokens')
  const page = async (request: AutomationFilters & PageRequest) => {
    const listing = automationsLike(request)
    const tokens = new PageTokens(key, ['automations', listing.params])
    return listPage(database, listing, request, tokens, async (rows: AutomationRow[]) => {
      const automations = await Promise.all(rows.map((row) => automationOf(database, dependencies, row)))
      return { list: automations.map((automation) => ({ automation })) }
    })
  }
  return newRouter()
    .openapi(listOperation, async (c) => c.json(await page(c.req.valid('query')), 200))
    .openapi(readOperation, async (c) =>
      c.json(await shown(dependencies, c.req.valid('param').automation_id), 200),
    )
    .openapi(searchOperation, async (c) => c.json(await page(c.req.valid('json')), 200))
}

function writing(dependencies: Dependencies): Router {
  const { database } = dependencies
  const changed = async (id: string, change: (tx: Transaction) => Promise<void>) => {
    await database.transaction(change)
    return shown(dependencies, id)
  }
  return newRouter()
    .openapi(createOperation, async (c) => {
      const { id, signingSecret } = await database.transaction((tx) =>
        createAutomation(tx, dependencies, c.var.caller, c.req.valid('json')),
      )
      const { automation } = await shown(dependencies, id)
      return c.json({ automation, signingSecret }, 200, { 'cache-control': 'no-store' })
    })
    .openapi(patchOperation, async (c) => {
      const [{ automation_id: id }, given] = [c.req.valid('param'), c.req.valid('json')]
      return c.json(await changed(id, (tx) => patchAutomation(tx, dependencies, id, given)), 200)
    })
    .openapi(deleteOperation, async (c) => {
      const { automation_id: id } = c.req.valid('param')
      await database.transaction((tx) => deleteAutomation(tx, dependencies, id))
      return c.json({}, 200)
    })
    .openapi(publishOperation, async (c) => {
      const { automation_id: id } = c.req.valid('param')
      return c.json(await changed(id, (tx) => publishAutomation(tx, dependencies, id)), 200)
    })
}
