import { Elysia } from 'elysia'
import { handle } from './handle.ts'

export const app = new Elysia().post(
  '/webhooks/stripe',
  ({ request, server }) =>
    handle(request, { sourceIp: server?.requestIP(request)?.address }),
  { parse: 'none' },
)
