import express from 'express'
import { defineListener } from 'hookgate'
import { verifyWebhook, webhookOf } from 'hookgate/express'
import { github } from 'hookgate/schemes/github'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'github',
  // the secret that you enter at GitHub
  auth: github({ secrets: process.env.GITHUB_WEBHOOK_SECRET }),
  // one process only; otherwise Redis or Postgres
  store: memoryStore(),
})

const app = express()

app.post('/webhooks/github', verifyWebhook(listener), (req, res) => {
  const { id, type } = webhookOf(req, listener)
  console.log(type, id)
  res.send('done')
})

const url = 'http://localhost:3000/webhooks/github'
app.listen(3000).once('listening', () => console.log(url))
