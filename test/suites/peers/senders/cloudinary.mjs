import { v2 as cloudinary } from 'cloudinary'
import { nodeHeaders, text } from './reading.mjs'

export function verify({ headers, body, secret }) {
  const { 'x-cld-timestamp': timestamp, 'x-cld-signature': signature } = nodeHeaders(headers)
  cloudinary.config({ api_secret: secret })
  return cloudinary.utils.verifyNotificationSignature(text(body), timestamp, signature)
}

export const sign = ({ time, body, secret }) =>
  cloudinary.utils.webhook_signature(text(body), time, { api_secret: secret })
