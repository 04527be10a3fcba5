import { createRoute, z } from '@hono/zod-openapi'
import type { Dependencies } from '../http/dependencies.ts'
import { ADDITION, json, newRouter, type Router, refusals } from '../http/router.ts'
import { takes } from '../http/takes.ts'
import { liveSecretSchema, signingSecretSchema } from './schema.ts'
import { rotateSecret, withdrawSecret } from './secrets.ts'

const common = { tags: ['Automations'], ...ADDITION, ...takes('super_admin') }

const rotateRoute = createRoute({
  ...common,
  method: 'post',
  path: '/api/v1/listeners/{listener_id}/action/rotate-secret',
  operationId: 'rotateListenerSecret',
  summary: 'Create a new signing secret; the previous one stays live',
  description:
    'At most two secrets are live: a third one withdraws the oldest. Requires the role `super_admin`.',
  request: { params: z.object({ listener_id: z.string() }) },
  responses: {
    200: {
      description: 'The new secret, shown once.',
      ...json(z.object({ signingSecret: signingSecretSchema }).openapi('RotateSecretResponse')),
    },
    ...refusals('forbidden', 'listener_unknown', 'webhook_invalid', 'body_too_large'),
  },
})

const withdrawRoute = createRoute({
  ...common,
  method: 'delete',
  path: '/api/v1/listeners/{listener_id}/secrets/{secret_id}',
  operationId: 'withdrawListenerSecret',
  summary: 'Withdraw a live secret; deliveries signed with it are then refused',
  request: { params: z.object({ listener_id: z.string(), secret_id: z.string() }) },
  responses: {
    200: {
      description: 'The secrets that are still live.',
      ...json(z.object({ secrets: z.array(liveSecretSchema) }).openapi('WithdrawSecretResponse')),
    },
    ...refusals('forbidden', 'listener_unknown', 'secret_unknown', 'secret_last', 'body_too_large'),
  },
})

export function listenerRoutes(dependencies: Dependencies): Router {
  return newRouter()
    .openapi(rotateRoute, async (c) => {
      const { listener_id } = c.req.valid('param')
      const signingSecret = await rotateSecret(dependencies, listener_id)
      return c.json({ signingSecret }, 200, { 'cache-control': 'no-store' })
    })
    .openapi(withdrawRoute, async (c) => {
      const { listener_id, secret_id } = c.req.valid('param')
      return c.json({ secrets: await withdrawSecret(dependencies, listener_id, secret_id) }, 200)
    })
}
