import type { EventPayloadMap } from '@octokit/webhooks-types'
import express from 'express'
import { defineListener, route } from 'hookgate'
import { verifyWebhook, webhookOf } from 'hookgate/express'
import { github } from 'hookgate/schemes/github'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'github',
  auth: github<EventPayloadMap>({
    secrets: process.env.GITHUB_WEBHOOK_SECRET,
  }),
  store: memoryStore(), // one process only; otherwise a shared store
})

const handle = route(listener, {
  push: async ({ type, payload }) => console.log(type, payload.ref),
  '*': async () => {}, // every other event: done
})

export const app = express()

app.post(
  '/webhooks/github',
  verifyWebhook(listener),
  async (req, res) => {
    await handle(webhookOf(req, listener))
    res.sendStatus(200)
  },
)
