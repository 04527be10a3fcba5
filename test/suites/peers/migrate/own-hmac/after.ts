import express from 'express'
import { defineListener } from 'hookgate'
import { verifyWebhook, webhookOf } from 'hookgate/express'
import { github } from 'hookgate/schemes/github'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'github',
  auth: github<{ push: { readonly ref: string } }>({
    secrets: process.env.GITHUB_WEBHOOK_SECRET,
  }),
  store: memoryStore(), // one process only; otherwise a shared store
})

export const app = express()

app.post('/webhooks/github', verifyWebhook(listener), (req, res) => {
  const { type, payload } = webhookOf(req, listener)
  console.log(type, payload.ref)
  res.sendStatus(200)
})
