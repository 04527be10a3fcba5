import { Webhooks } from '@octokit/webhooks'
import type { PushEvent } from '@octokit/webhooks-types'
import express from 'express'

const webhooks = new Webhooks({
  secret: process.env.GITHUB_WEBHOOK_SECRET ?? '',
})

export const app = express()

app.post(
  '/webhooks/github',
  express.text({ type: 'application/json' }),
  async (req, res) => {
    const signature = req.get('x-hub-signature-256') ?? ''
    if (
      !(await webhooks.verify(req.body, signature).catch(() => false))
    ) {
      res.sendStatus(401)
      return
    }
    const name = req.get('x-github-event')
    const payload: PushEvent = JSON.parse(req.body)
    if (name === 'push') console.log(name, payload.ref)
    res.sendStatus(200)
  },
)
