// app/webhooks/stripe.ts, with route('webhooks/stripe',
// 'webhooks/stripe.ts') in app/routes.ts
import type { ActionFunctionArgs } from 'react-router'
import { handle } from './handle.ts'

export const action = ({ request }: ActionFunctionArgs) =>
  handle(request)
