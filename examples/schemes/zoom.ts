import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { zoom } from 'hookgate/schemes/zoom'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'zoom',
  auth: zoom({ secrets: process.env.ZOOM_SECRET_TOKEN }),
  // one process only; otherwise Redis or Postgres
  store: memoryStore(),
})

const app = new Hono()

app.post('/webhooks/zoom', verifyWebhook(listener), (c) => {
  const { type, payload } = c.var.webhook
  switch (type) {
    case 'meeting.started':
      console.log('started', payload)
      break
    case 'meeting.ended':
      console.log('ended', payload)
      break
    case 'recording.completed':
      console.log('recording is ready', payload)
      break
  }
  return c.text('done')
})

export default app
