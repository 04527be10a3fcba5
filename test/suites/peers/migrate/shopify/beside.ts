import '@shopify/shopify-app-react-router/adapters/node'
import {
  ApiVersion,
  shopifyApp,
} from '@shopify/shopify-app-react-router/server'
import { MemorySessionStorage } from '@shopify/shopify-app-session-storage-memory'
import type { Listener } from 'hookgate'
import { observeWebhook } from 'hookgate/web'
import type { ActionFunctionArgs } from 'react-router'

declare const listener: Listener

const shopify = shopifyApp({
  apiKey: process.env.SHOPIFY_API_KEY ?? '',
  apiSecretKey: process.env.SHOPIFY_API_SECRET ?? '',
  apiVersion: ApiVersion.January26,
  appUrl: 'https://example.com',
  sessionStorage: new MemorySessionStorage(),
})

export async function action({ request }: ActionFunctionArgs) {
  void observeWebhook(listener, request, await request.clone().text())
  const { topic, payload } = await shopify.authenticate.webhook(request)
  console.log(topic, payload.id)
  return new Response()
}
