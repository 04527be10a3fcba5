// The README's program. `before` is what a mistaken program has in front of `verifyWebhook`.
import express from 'express'

const PARSERS = [express.json(), express.urlencoded({ extended: false })]

/** Reads the body, and keeps other bytes than those that came. */
const keeping = (bytesOf) => [
  express.raw({ type: '*/*' }),
  (req, _res, next) => {
    req.rawBody = bytesOf(req.body)
    next()
  },
]

const BEFORE = {
  nothing: [],
  'a parser': PARSERS,
  'a parser whose result is written again': [
    ...PARSERS,
    (req, _res, next) => {
      req.rawBody = Buffer.from(JSON.stringify(req.body))
      next()
    },
  ],
  // A form has no other bytes than ASCII, until somebody decodes it.
  'a reader of text': keeping((body) =>
    Buffer.from(/%/.test(body) ? decodeURIComponent(`${body}`) : body.toString('latin1')),
  ),
  'a reader that keeps nothing': keeping(() => Buffer.alloc(0)),
}

/** @param {keyof typeof BEFORE} before */
export function appOf(verifyWebhook, listener, before = 'nothing') {
  const app = express()
  app.post('/webhooks', ...BEFORE[before], verifyWebhook(listener), (_req, res) => res.send('done'))
  return app
}
