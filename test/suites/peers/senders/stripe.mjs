import Stripe from 'stripe'
import { nodeHeaders, passes, text } from './reading.mjs'

const stripe = new Stripe('sk_test_not_used')

export const verify = ({ headers, body, secret }) =>
  passes(() => stripe.webhooks.constructEvent(body, nodeHeaders(headers)['stripe-signature'], secret))

export const sign = ({ time, body, secret }) =>
  stripe.webhooks
    .generateTestHeaderString({ payload: text(body), secret, timestamp: Number(time) })
    .replace(/^.*v1=/, '')
