import express from 'express'
import { verifyWebhook, webhookOf } from 'hookgate/express'
import { handle, listener } from './webhooks.mjs'

const app = express()

app.post('/webhooks', verifyWebhook(listener), async (req, res) => {
  await handle(webhookOf(req, listener))
  res.send('done') // 2xx: the event is done. If you throw, it can run again.
})

app.listen(3000).once('listening', () => console.log('http://localhost:3000/webhooks'))
