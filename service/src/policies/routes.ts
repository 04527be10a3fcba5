import type { Transaction } from '../database/database.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { derivedKey } from '../http/derived-key.ts'
import { listPage, type PageRequest } from '../http/list.ts'
import { PageTokens } from '../http/page-token.ts'
import { newRouter, type Router } from '../http/router.ts'
import { deletePolicy } from './delete.ts'
import { policiesLike } from './lists.ts'
import {
  createOperation,
  deleteOperation,
  listOperation,
  patchOperation,
  readOperation,
  searchOperation,
} from './operations.ts'
import type { PolicyFilters } from './schema.ts'
import { findPolicy, type PolicyRow, policyOf } from './store.ts'
import { createPolicy, updatePolicy } from './write.ts'

export function policyRoutes(dependencies: Dependencies): Router {
  return newRouter().route('/', reading(dependencies)).route('/', writing(dependencies))
}

function reading({ database, secret }: Dependencies): Router {
  const key = derivedKey(secret, 'page tokens')
  const page = async (request: PolicyFilters & PageRequest) => {
    const listing = policiesLike(request)
    const tokens = new PageTokens(key, ['policies', listing.params])
    return listPage(database, listing, request, tokens, (rows: PolicyRow[]) => ({
      list: rows.map((row) => ({ policy: policyOf(row) })),
    }))
  }
  return newRouter()
    .openapi(listOperation, async (c) => c.json(await page(c.req.valid('query')), 200))
    .openapi(readOperation, async (c) => {
      const row = await findPolicy(database, c.req.valid('param').policy_id)
      return c.json({ policy: policyOf(row) }, 200)
    })
    .openapi(searchOperation, async (c) => c.json(await page(c.req.valid('json')), 200))
}

function writing(dependencies: Dependencies): Router {
  const { database } = dependencies
  const written = async (write: (tx: Transaction) => Promise<PolicyRow>) => ({
    policy: policyOf(await database.transaction(write)),
  })
  return newRouter()
    .openapi(createOperation, async (c) =>
      c.json(await written((tx) => createPolicy(tx, c.req.valid('json'), dependencies)), 200),
    )
    .openapi(patchOperation, async (c) => {
      const [{ policy_id: id }, given] = [c.req.valid('param'), c.req.valid('json')]
      return c.json(await written((tx) => updatePolicy(tx, id, given, dependencies)), 200)
    })
    .openapi(deleteOperation, async (c) => {
      const { policy_id: id } = c.req.valid('param')
      await database.transaction((tx) => deletePolicy(tx, id, dependencies))
      return c.json({}, 200)
    })
}
