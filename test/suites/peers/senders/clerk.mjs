import { verifyWebhook } from '@clerk/backend/webhooks'
import { passes } from './reading.mjs'

export const verify = ({ headers, body, secret }) =>
  passes(() =>
    verifyWebhook(new Request('https://receiver.example/', { method: 'POST', headers, body }), {
      signingSecret: secret,
    }),
  )
