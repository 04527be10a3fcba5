import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { notion } from 'hookgate/schemes/notion'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'notion',
  auth: notion(
    process.env.NOTION_VERIFICATION_TOKEN === undefined
      ? {
          onHandshake: ({ secret }) =>
            console.log('the verification token is', secret),
        }
      : { secrets: process.env.NOTION_VERIFICATION_TOKEN },
  ),
  // one process only; otherwise Redis or Postgres
  store: memoryStore(),
})

const app = new Hono()

app.post('/webhooks/notion', verifyWebhook(listener), (c) => {
  const { type, payload } = c.var.webhook
  switch (type) {
    case 'page.created':
      console.log('new page', payload)
      break
    case 'page.content_updated':
      console.log('changed page', payload)
      break
    case 'comment.created':
      console.log('comment', payload)
      break
  }
  return c.text('done')
})

export default app
