import { createRoute, z } from '@hono/zod-openapi'
import type { Dependencies } from '../http/dependencies.ts'
import { derivedKey } from '../http/derived-key.ts'
import { listPage, pageOf, pageQuery } from '../http/list.ts'
import { PageTokens } from '../http/page-token.ts'
import { ADDITION, json, newRouter, type Router, refusals } from '../http/router.ts'
import { takes } from '../http/takes.ts'
import { createPolicyRequest, policySchema, updatePolicyRequest } from './schema.ts'
import { ALL_POLICIES, findPolicy, type PolicyRow, policyOf } from './store.ts'
import { createPolicy, updatePolicy } from './write.ts'

const shared = { tags: ['Policies'], ...ADDITION }
const one = z.object({ policy: policySchema }).openapi('PolicyResponse')
const params = z.object({ policy_id: z.string() })

const createOperation = createRoute({
  method: 'post',
  path: '/api/v1/policies',
  operationId: 'createPolicy',
  summary: 'Create a policy',
  ...shared,
  ...takes('super_admin'),
  request: { body: { required: true, ...json(createPolicyRequest) } },
  responses: {
    200: { description: 'The policy.', ...json(one) },
    ...refusals('body_not_json', 'policy_invalid', 'forbidden', 'feature_disabled', 'body_too_large'),
  },
})

const readOperation = createRoute({
  method: 'get',
  path: '/api/v1/policies/{policy_id}',
  operationId: 'getPolicy',
  summary: 'One policy',
  ...shared,
  request: { params },
  responses: { 200: { description: 'The policy.', ...json(one) }, ...refusals('policy_unknown') },
})

const updateOperation = createRoute({
  method: 'patch',
  path: '/api/v1/policies/{policy_id}',
  operationId: 'updatePolicy',
  summary: 'Change a policy; what is absent stays',
  ...shared,
  ...takes('super_admin'),
  request: { params, body: { required: true, ...json(updatePolicyRequest) } },
  responses: {
    200: { description: 'The policy.', ...json(one) },
    ...refusals(
      'body_not_json',
      'policy_invalid',
      'forbidden',
      'feature_disabled',
      'policy_unknown',
      'policy_builtin',
      'body_too_large',
    ),
  },
})

const listOperation = createRoute({
  method: 'get',
  path: '/api/v1/policies',
  operationId: 'listPolicies',
  summary: 'All policies, the oldest first',
  ...shared,
  request: { query: pageQuery },
  responses: {
    200: { description: 'One page.', ...json(pageOf(one).openapi('ListPoliciesResponse')) },
    ...refusals('page_token_invalid'),
  },
})

export function policyRoutes(dependencies: Dependencies): Router {
  const { database, secret } = dependencies
  const tokens = new PageTokens(derivedKey(secret, 'page tokens'), ['policies'])
  return newRouter()
    .openapi(createOperation, async (c) => {
      const row = await database.transaction((tx) => createPolicy(tx, c.req.valid('json'), dependencies))
      return c.json({ policy: policyOf(row) }, 200)
    })
    .openapi(readOperation, async (c) => {
      const row = await findPolicy(database, c.req.valid('param').policy_id)
      return c.json({ policy: policyOf(row) }, 200)
    })
    .openapi(updateOperation, async (c) => {
      const { policy_id } = c.req.valid('param')
      const row = await database.transaction((tx) =>
        updatePolicy(tx, policy_id, c.req.valid('json'), dependencies),
      )
      return c.json({ policy: policyOf(row) }, 200)
    })
    .openapi(listOperation, async (c) => {
      const page = await listPage<PolicyRow>(database, ALL_POLICIES, c.req.valid('query'), tokens)
      const list = page.rows.map((row) => ({ policy: policyOf(row) }))
      return c.json({ list, nextPageToken: page.nextPageToken }, 200)
    })
}
