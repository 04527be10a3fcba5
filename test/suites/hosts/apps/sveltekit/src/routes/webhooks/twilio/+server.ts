import type { RequestHandler } from '@sveltejs/kit'
import { defineListener } from 'hookgate'
import { twilio } from 'hookgate/schemes/twilio'
import { memoryStore } from 'hookgate/stores/memory'
import { webhookHandler } from 'hookgate/web'

let handle: ((request: Request) => Promise<Response>) | undefined

export const POST: RequestHandler = ({ request }) => {
  handle ??= webhookHandler(
    defineListener({
      id: 'twilio',
      auth: twilio({
        secrets: process.env.TWILIO_AUTH_TOKEN,
        publicUrl: 'https://example.com/webhooks/twilio',
      }),
      store: memoryStore(),
    }),
    ({ payload }) => new Response(String(Object(payload).Body)),
  )
  return handle(request)
}
