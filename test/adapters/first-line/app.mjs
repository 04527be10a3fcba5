// The README's program. `mount` is what a mistaken program has in front of `verifyWebhook`.
import express from 'express'

const BEFORE = {
  parsed: [express.json(), express.urlencoded({ extended: false })],
  'serialised-again': [
    express.json(),
    express.urlencoded({ extended: false }),
    (req, _res, next) => {
      const isForm = req.is('application/x-www-form-urlencoded')
      req.rawBody = Buffer.from(
        isForm ? new URLSearchParams(req.body).toString().replaceAll('+', '%20') : JSON.stringify(req.body),
      )
      next()
    },
  ],
  latin1: [
    express.raw({ type: '*/*' }),
    (req, _res, next) => {
      req.rawBody = Buffer.from(req.body.toString('latin1'))
      next()
    },
  ],
  empty: [
    express.raw({ type: '*/*' }),
    (req, _res, next) => {
      req.rawBody = Buffer.alloc(0)
      next()
    },
  ],
}

export function appOf(verifyWebhook, listener, before) {
  const app = express()
  app.post('/webhooks', ...(BEFORE[before] ?? []), verifyWebhook(listener), (_req, res) => res.send('done'))
  return app
}
