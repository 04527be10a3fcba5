import { createNodeMiddleware, Webhooks } from '@octokit/webhooks'
import express from 'express'
import type { Listener } from 'hookgate'
import { observeWebhook } from 'hookgate/express'

declare const listener: Listener

const webhooks = new Webhooks({
  secret: process.env.GITHUB_WEBHOOK_SECRET ?? '',
})

webhooks.on('push', ({ name, payload }) => {
  console.log(name, payload.ref)
})

export const app = express()

app.use(
  '/webhooks/github',
  express.text({ type: '*/*', limit: '25mb' }),
  (req, _res, next) => {
    void observeWebhook(listener, req, req.body)
    next() // octokit takes the text in place of the stream
  },
)
app.use(createNodeMiddleware(webhooks, { path: '/webhooks/github' }))
