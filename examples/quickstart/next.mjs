// app/webhooks/route.js: webhooks.mjs is in the project's root
import { webhookHandler } from 'hookgate/web'

let handler

export async function POST(request) {
  if (!handler) {
    // Not sooner: a build loads this file without your secret.
    const { handle, listener } = await import('../../webhooks.mjs')
    handler = webhookHandler(listener, async (event) => {
      await handle(event)
      return new Response('done')
    })
  }
  return handler(request)
}
