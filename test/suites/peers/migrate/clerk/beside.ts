import { verifyWebhook } from '@clerk/backend/webhooks'
import type { Listener } from 'hookgate'
import { observeWebhook } from 'hookgate/web'

declare const listener: Listener

const signingSecret = process.env.CLERK_WEBHOOK_SIGNING_SECRET ?? ''

export async function POST(request: Request) {
  void observeWebhook(listener, request, await request.clone().text())
  let event: Awaited<ReturnType<typeof verifyWebhook>>
  try {
    event = await verifyWebhook(request, { signingSecret })
  } catch {
    return new Response('not signed', { status: 400 })
  }
  if (event.type === 'user.deleted')
    console.log(event.type, event.data.id)
  return new Response('done')
}
