import { createRoute, z } from '@hono/zod-openapi'
import { pageOf, pageQuery } from '../http/list.ts'
import { ADDITION, json, refusals } from '../http/router.ts'
import { takes } from '../http/takes.ts'
import {
  automationPatchSchema,
  automationResponse,
  createdAutomationSchema,
  newAutomationSchema,
  searchAutomationsRequest,
} from './schema.ts'

const common = { tags: ['Automations'], ...ADDITION, ...takes('super_admin') }
const one = { path: '/api/v1/automations/{automation_id}', params: z.object({ automation_id: z.string() }) }
const automation = { description: 'The automation.', ...json(automationResponse) }

export const createOperation = createRoute({
  ...common,
  method: 'post',
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

export const listOperation = createRoute({
  ...common,
  method: 'get',
  path: '/api/v1/automations',
  operationId: 'listAutomations',
  summary: 'The automations, newest first',
  request: { query: pageQuery },
  responses: {
    200: {
      description: 'One page.',
      ...json(pageOf(automationResponse).openapi('ListAutomationsResponse')),
    },
    ...refusals('page_token_invalid', 'forbidden'),
  },
})

export const readOperation = createRoute({
  ...common,
  method: 'get',
  path: one.path,
  operationId: 'getAutomation',
  summary: 'One automation',
  request: { params: one.params },
  responses: { 200: automation, ...refusals('forbidden', 'automation_unknown') },
})

const updated = {
  200: automation,
  ...refusals('body_not_json', 'webhook_invalid', 'forbidden', 'automation_unknown', 'body_too_large'),
}

export const patchOperation = createRoute({
  ...common,
  method: 'patch',
  path: one.path,
  operationId: 'patchAutomation',
  summary: 'Change the fields that are present; enable or disable the trigger',
  request: { params: one.params, body: { required: true, ...json(automationPatchSchema) } },
  responses: updated,
})

export const deleteOperation = createRoute({
  ...common,
  method: 'delete',
  path: one.path,
  operationId: 'deleteAutomation',
  summary: 'Delete an automation with its listener and secrets; accepted runs continue',
  request: { params: one.params },
  responses: {
    200: { description: 'Deleted.', ...json(z.object({}).openapi('DeleteAutomationResponse')) },
    ...refusals('body_not_json', 'forbidden', 'automation_unknown', 'body_too_large'),
  },
})

export const searchOperation = createRoute({
  ...common,
  method: 'post',
  path: '/api/v1/search/automations',
  operationId: 'searchAutomations',
  summary: 'Search automations, newest first',
  request: { body: { required: true, ...json(searchAutomationsRequest) } },
  responses: {
    200: {
      description: 'One page.',
      ...json(pageOf(automationResponse).openapi('SearchAutomationsResponse')),
    },
    ...refusals('body_not_json', 'page_token_invalid', 'forbidden', 'body_too_large'),
  },
})

export const publishOperation = createRoute({
  ...common,
  method: 'post',
  path: `${one.path}/action/publish`,
  operationId: 'publishAutomation',
  summary: 'Publish the current steps',
  request: { params: one.params },
  responses: { 200: automation, ...refusals('forbidden', 'automation_unknown', 'body_too_large') },
})
