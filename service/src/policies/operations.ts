import { createRoute, z } from '@hono/zod-openapi'
import { pageOf, pageQuery } from '../http/list.ts'
import { ADDITION, json, refusals } from '../http/router.ts'
import { takes, takesBody } from '../http/takes.ts'
import { createPolicyRequest, policySchema, searchPoliciesRequest, updatePolicyRequest } from './schema.ts'

const shared = { tags: ['Policies'], ...ADDITION }
const one = z.object({ policy: policySchema }).openapi('PolicyResponse')
const params = z.object({ policy_id: z.string() })

export const createOperation = createRoute({
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

export const readOperation = createRoute({
  method: 'get',
  path: '/api/v1/policies/{policy_id}',
  operationId: 'getPolicy',
  summary: 'One policy',
  ...shared,
  request: { params },
  responses: { 200: { description: 'The policy.', ...json(one) }, ...refusals('policy_unknown') },
})

const updated = {
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
}

export const patchOperation = createRoute({
  method: 'patch',
  path: '/api/v1/policies/{policy_id}',
  operationId: 'patchPolicy',
  summary: 'Change a policy; absent fields stay unchanged',
  ...shared,
  ...takes('super_admin'),
  request: { params, body: { required: true, ...json(updatePolicyRequest) } },
  responses: updated,
})

export const deleteOperation = createRoute({
  method: 'delete',
  path: '/api/v1/policies/{policy_id}',
  operationId: 'deletePolicy',
  summary: 'Delete a policy; its tasks continue',
  ...shared,
  ...takes('super_admin'),
  request: { params },
  responses: {
    200: { description: 'Deleted.', ...json(z.object({}).openapi('DeletePolicyResponse')) },
    ...refusals(
      'body_not_json',
      'forbidden',
      'policy_unknown',
      'policy_builtin',
      'policy_in_use',
      'body_too_large',
    ),
  },
})

export const listOperation = createRoute({
  method: 'get',
  path: '/api/v1/policies',
  operationId: 'listPolicies',
  summary: 'List all policies, oldest first',
  ...shared,
  request: { query: pageQuery },
  responses: {
    200: { description: 'One page.', ...json(pageOf(one).openapi('ListPoliciesResponse')) },
    ...refusals('page_token_invalid'),
  },
})

export const searchOperation = createRoute({
  method: 'post',
  path: '/api/v1/search/policies',
  operationId: 'searchPolicies',
  summary: 'Search policies, oldest first',
  ...shared,
  ...takesBody,
  request: { body: { required: true, ...json(searchPoliciesRequest) } },
  responses: {
    200: { description: 'One page.', ...json(pageOf(one).openapi('SearchPoliciesResponse')) },
    ...refusals('body_not_json', 'page_token_invalid', 'body_too_large'),
  },
})
