import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { telegram } from 'hookgate/schemes/telegram'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'telegram',
  auth: telegram({ secrets: process.env.TELEGRAM_SECRET_TOKEN }),
  // one process only; otherwise Redis or Postgres
  store: memoryStore(),
})

const app = new Hono()

app.post('/webhooks/telegram', verifyWebhook(listener), (c) => {
  const { payload } = c.var.webhook
  const { update_id, ...update } = Object(payload)
  const [kind] = Object.keys(update)
  switch (kind) {
    case 'message':
      console.log('message', update)
      break
    case 'edited_message':
      console.log('edited', update)
      break
    case 'callback_query':
      console.log('button', update)
      break
  }
  return c.text('done')
})

export default app
