import { defineListener } from 'hookgate'
import { shopify } from 'hookgate/schemes/shopify'
import { memoryStore } from 'hookgate/stores/memory'
import { webhookHandler } from 'hookgate/web'
import type { ActionFunctionArgs } from 'react-router'

interface Payloads {
  readonly 'orders/create': { readonly id: number }
}

const listener = defineListener({
  id: 'shopify',
  auth: shopify<Payloads>({ secrets: process.env.SHOPIFY_API_SECRET }),
  store: memoryStore(), // one process only; otherwise a shared store
})

const handle = webhookHandler(listener, ({ type, payload }) =>
  console.log(type, payload.id),
)

export const action = ({ request }: ActionFunctionArgs) =>
  handle(request)
