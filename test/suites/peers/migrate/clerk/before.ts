import { verifyWebhook } from '@clerk/backend/webhooks'

const signingSecret = process.env.CLERK_WEBHOOK_SIGNING_SECRET ?? ''

export async function POST(request: Request) {
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
