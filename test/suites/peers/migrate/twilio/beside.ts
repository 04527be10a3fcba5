import express, { type Request } from 'express'
import type { Listener } from 'hookgate'
import { observeWebhook } from 'hookgate/express'
import twilio from 'twilio'

declare const listener: Listener

const authToken = process.env.TWILIO_AUTH_TOKEN ?? ''
const url = 'https://example.com/webhooks/sms'

export const app = express()

app.post(
  '/webhooks/sms',
  express.urlencoded({
    extended: false,
    verify: (req: Request, _res, bytes) =>
      void observeWebhook(listener, req, bytes),
  }),
  twilio.webhook({ url }, authToken),
  (req, res) => {
    console.log(req.body.From, req.body.Body)
    const reply = new twilio.twiml.MessagingResponse()
    reply.message('Thank you')
    res.type('text/xml').send(reply.toString())
  },
)
