import express from 'express'
import type { Listener } from 'hookgate'
import { observeWebhook } from 'hookgate/express'
import Stripe from 'stripe'

declare const listener: Listener

const stripe = new Stripe(process.env.STRIPE_SECRET_KEY ?? '')
const secret = process.env.STRIPE_WEBHOOK_SECRET ?? ''

export const app = express()

app.post(
  '/webhooks/stripe',
  express.raw({ type: 'application/json' }),
  (req, res) => {
    void observeWebhook(listener, req, req.body)
    let event: Stripe.Event
    try {
      event = stripe.webhooks.constructEvent(
        req.body,
        req.get('stripe-signature') ?? '',
        secret,
      )
    } catch {
      res.sendStatus(400)
      return
    }
    console.log(event.type, event.id)
    res.sendStatus(200)
  },
)
