import { createRoute } from '@hono/zod-openapi'
import { type Collection, collectionRoutes } from '../http/collection.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { ADDITION, json, newRouter, type Router, refusals } from '../http/router.ts'
import { takes } from '../http/takes.ts'
import {
  createPolicyRequest,
  policyResponse,
  type SearchPolicies,
  searchPoliciesRequest,
  type UpdatePolicy,
  updatePolicyRequest,
} from './schema.ts'
import { findPolicy, type PolicyRow, policiesLike, policyOf } from './store.ts'
import { createPolicy, deletePolicy, updatePolicy } from './write.ts'

const createOperation = createRoute({
  method: 'post',
  path: '/api/v1/policies',
  operationId: 'createPolicy',
  summary: 'Create a policy',
  tags: ['Policies'],
  ...ADDITION,
  ...takes('super_admin'),
  request: { body: { required: true, ...json(createPolicyRequest) } },
  responses: {
    200: { description: 'The policy.', ...json(policyResponse) },
    ...refusals('body_not_json', 'policy_invalid', 'forbidden', 'feature_disabled', 'body_too_large'),
  },
})

function policies(dependencies: Dependencies): Collection<PolicyRow, SearchPolicies, UpdatePolicy> {
  return {
    names: ['Policy', 'Policies'],
    readers: 'everyone',
    summaries: {
      list: 'List all policies, oldest first',
      read: 'One policy',
      search: 'Search policies, oldest first',
      change: 'Change a policy; absent fields stay unchanged',
      remove: 'Delete a policy; its tasks continue',
    },
    response: policyResponse,
    searchRequest: searchPoliciesRequest,
    changeRequest: updatePolicyRequest,
    unknown: 'policy_unknown',
    refused: {
      change: ['policy_invalid', 'feature_disabled', 'policy_builtin'],
      remove: ['policy_builtin', 'policy_in_use'],
    },
    matching: policiesLike,
    find: findPolicy,
    show: (_, row) => policyOf(row),
    change: (tx, id, given) => updatePolicy(tx, id, given, dependencies),
    remove: (tx, id) => deletePolicy(tx, id, dependencies),
  }
}

export function policyRoutes(dependencies: Dependencies): Router {
  return newRouter()
    .route('/', collectionRoutes(policies(dependencies), dependencies))
    .openapi(createOperation, async (c) => {
      const given = c.req.valid('json')
      const row = await dependencies.database.transaction((tx) => createPolicy(tx, given, dependencies))
      return c.json({ policy: policyOf(row) }, 200)
    })
}
