import { EventWebhook } from '@sendgrid/eventwebhook'
import { nodeHeaders, text } from './reading.mjs'

const sendgrid = new EventWebhook()

export function verify({ headers, body, secret }) {
  const given = nodeHeaders(headers)
  return sendgrid.verifySignature(
    sendgrid.convertPublicKeyToECDSA(secret),
    text(body),
    given['x-twilio-email-event-webhook-signature'],
    given['x-twilio-email-event-webhook-timestamp'],
  )
}
