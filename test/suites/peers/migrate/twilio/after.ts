import express from 'express'
import { defineListener } from 'hookgate'
import { verifyWebhook, webhookOf } from 'hookgate/express'
import { twilio as auth } from 'hookgate/schemes/twilio'
import { memoryStore } from 'hookgate/stores/memory'
import twilio from 'twilio'

interface Message {
  readonly From: string
  readonly Body: string
}

const listener = defineListener({
  id: 'twilio',
  auth: auth<Message>({
    secrets: process.env.TWILIO_AUTH_TOKEN,
    publicUrl: 'https://example.com/webhooks/sms',
  }),
  store: memoryStore(), // one process only; otherwise a shared store
})

export const app = express()

app.post('/webhooks/sms', verifyWebhook(listener), (req, res) => {
  const { payload } = webhookOf(req, listener)
  console.log(payload.From, payload.Body)
  const reply = new twilio.twiml.MessagingResponse()
  reply.message('Thank you')
  res.type('text/xml').send(reply.toString())
})
