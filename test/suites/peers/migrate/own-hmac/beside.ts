import { createHmac, timingSafeEqual } from 'node:crypto'
import express from 'express'
import type { Listener } from 'hookgate'
import { observeWebhook } from 'hookgate/express'

declare const listener: Listener

const secret = process.env.GITHUB_WEBHOOK_SECRET ?? ''

export const app = express()

app.post(
  '/webhooks/github',
  express.raw({ type: '*/*' }),
  (req, res) => {
    void observeWebhook(listener, req, req.body)
    const expected = Buffer.from(
      `sha256=${createHmac('sha256', secret).update(req.body).digest('hex')}`,
    )
    const given = Buffer.from(req.get('x-hub-signature-256') ?? '')
    if (
      given.length !== expected.length ||
      !timingSafeEqual(given, expected)
    ) {
      res.sendStatus(401)
      return
    }
    const payload = JSON.parse(req.body)
    console.log(req.get('x-github-event'), payload.ref)
    res.sendStatus(200)
  },
)
