import { createRoute, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { Queryable, Transaction } from '../database/database.ts'
import type { Env } from './bearer.ts'
import type { Dependencies } from './dependencies.ts'
import { type Listing, listPage, type PageRequest, pageOf, pageQuery } from './list.ts'
import type { ProblemCode } from './problem.ts'
import { ADDITION, json, newRouter, type Router, refusals } from './router.ts'
import { takes, takesBody } from './takes.ts'

/** Objects that are listed, read, searched, changed and deleted alike. Only a super admin may change them. */
export interface Collection<Row, Search extends PageRequest, Changes> {
  /** E.g. `Policy` and `Policies`: paths, IDs of operations and members of responses are made of them. */
  readonly names: readonly [one: string, many: string]
  readonly readers: 'everyone' | 'super_admin'
  readonly summaries: Readonly<Record<'list' | 'read' | 'search' | 'change' | 'remove', string>>
  /** Holds one object, under its name in lower case. */
  readonly response: z.ZodType
  readonly searchRequest: z.ZodType<Search>
  readonly changeRequest: z.ZodType<Changes>
  readonly unknown: ProblemCode
  /** What a change or a deletion is refused for, beyond what holds for every collection. */
  readonly refused: Readonly<Record<'change' | 'remove', readonly ProblemCode[]>>
  readonly matching: (search: Partial<Search>) => Listing
  readonly find: (database: Queryable, id: string) => Promise<Row>
  readonly show: (database: Queryable, row: Row) => object | Promise<object>
  readonly change: (tx: Transaction, id: string, changes: Changes) => Promise<Row>
  readonly remove: (tx: Transaction, id: string) => Promise<void>
}

function operationsOn<Search extends PageRequest, Changes>({
  names: [one, many],
  readers,
  summaries,
  response,
  searchRequest,
  changeRequest,
  unknown,
  refused,
}: Omit<Collection<unknown, Search, Changes>, 'matching' | 'find' | 'show' | 'change' | 'remove'>) {
  const path = `/api/v1/${many.toLowerCase()}`
  const id = `${one.toLowerCase()}_id`
  const [ofOne, params] = [`${path}/{${id}}`, z.object({ [id]: z.string() })]
  const common = { tags: [many], ...ADDITION }
  const shown = { 200: { description: `The ${one.toLowerCase()}.`, ...json(response) } }
  const page = (name: string) => ({
    200: { description: 'One page.', ...json(pageOf(response).openapi(`${name}${many}Response`)) },
  })
  const reading = readers === 'everyone' ? { ...common } : { ...common, ...takes('super_admin') }
  const forbidden = readers === 'everyone' ? [] : (['forbidden'] as const)
  return {
    list: createRoute({
      ...reading,
      method: 'get',
      path,
      operationId: `list${many}`,
      summary: summaries.list,
      request: { query: pageQuery },
      responses: { ...page('List'), ...refusals('page_token_invalid', ...forbidden) },
    }),
    read: createRoute({
      ...reading,
      method: 'get',
      path: ofOne,
      operationId: `get${one}`,
      summary: summaries.read,
      request: { params },
      responses: { ...shown, ...refusals(...forbidden, unknown) },
    }),
    search: createRoute({
      ...takesBody,
      ...reading,
      method: 'post',
      path: `/api/v1/search/${many.toLowerCase()}`,
      operationId: `search${many}`,
      summary: summaries.search,
      request: { body: { required: true, ...json(searchRequest) } },
      responses: {
        ...page('Search'),
        ...refusals('body_not_json', 'page_token_invalid', ...forbidden, 'body_too_large'),
      },
    }),
    change: createRoute({
      ...common,
      ...takes('super_admin'),
      method: 'patch',
      path: ofOne,
      operationId: `patch${one}`,
      summary: summaries.change,
      request: { params, body: { required: true, ...json(changeRequest) } },
      responses: {
        ...shown,
        ...refusals('body_not_json', 'forbidden', unknown, ...refused.change, 'body_too_large'),
      },
    }),
    remove: createRoute({
      ...common,
      ...takes('super_admin'),
      method: 'delete',
      path: ofOne,
      operationId: `delete${one}`,
      summary: summaries.remove,
      request: { params },
      responses: {
        200: { description: 'Deleted.', ...json(z.object({}).openapi(`Delete${one}Response`)) },
        ...refusals('body_not_json', 'forbidden', unknown, ...refused.remove, 'body_too_large'),
      },
    }),
  }
}

/** The routes of a collection, but for those that create or do something else. */
export function collectionRoutes<Row, Search extends PageRequest, Changes>(
  collection: Collection<Row, Search, Changes>,
  dependencies: Dependencies,
): Router {
  const { database } = dependencies
  const { matching, find, show } = collection
  const { list, read, search, change, remove } = operationsOn(collection)
  const name = collection.names[0].toLowerCase()
  const idOf = (c: Context<Env>) => c.req.param(`${name}_id`) ?? '' // its paths have one
  const shown = async (queryable: Queryable, row: Row) => ({ [`${name}`]: await show(queryable, row) })
  const page = (listing: Listing, request: PageRequest) =>
    listPage(dependencies, listing, request, async (rows: Row[]) => ({
      list: await Promise.all(rows.map((row) => shown(database, row))),
    }))
  return newRouter()
    .openapi(list, async (c) => c.json(await page(matching({}), c.req.valid('query')), 200))
    .openapi(read, async (c) => c.json(await shown(database, await find(database, idOf(c))), 200))
    .openapi(search, async (c) => {
      const request = c.req.valid('json')
      return c.json(await page(matching(request), request), 200)
    })
    .openapi(change, async (c) => {
      const [id, changes] = [idOf(c), c.req.valid('json')]
      const reply = database.transaction(async (tx) => shown(tx, await collection.change(tx, id, changes)))
      return c.json(await reply, 200)
    })
    .openapi(remove, async (c) => {
      await database.transaction((tx) => collection.remove(tx, idOf(c)))
      return c.json({}, 200)
    })
}
