import { H3 } from 'h3'
import { handle } from './handle.ts'

export const app = new H3()
app.post('/webhooks/stripe', ({ req }) =>
  handle(req, { sourceIp: req.ip }),
)
