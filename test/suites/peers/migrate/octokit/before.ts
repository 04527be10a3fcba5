import { createNodeMiddleware, Webhooks } from '@octokit/webhooks'
import express from 'express'

const webhooks = new Webhooks({
  secret: process.env.GITHUB_WEBHOOK_SECRET ?? '',
})

webhooks.on('push', ({ name, payload }) => {
  console.log(name, payload.ref)
})

export const app = express()

app.use(createNodeMiddleware(webhooks, { path: '/webhooks/github' }))
