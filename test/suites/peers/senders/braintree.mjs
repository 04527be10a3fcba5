import braintree from 'braintree'
import { passes, text } from './reading.mjs'

export function verify({ body, secret, options }) {
  const form = new URLSearchParams(text(body))
  const gateway = new braintree.BraintreeGateway({
    environment: braintree.Environment.Sandbox,
    merchantId: 'not-used',
    publicKey: options.publicKey,
    privateKey: secret,
  })
  return passes(() => gateway.webhookNotification.parse(form.get('bt_signature'), form.get('bt_payload')))
}
