import express from 'express'
import Stripe from 'stripe'

const stripe = new Stripe(process.env.STRIPE_SECRET_KEY ?? '')
const secret = process.env.STRIPE_WEBHOOK_SECRET ?? ''

export const app = express()

app.post(
  '/webhooks/stripe',
  express.raw({ type: 'application/json' }),
  (req, res) => {
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
