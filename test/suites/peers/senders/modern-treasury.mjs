import ModernTreasury from 'modern-treasury'
import { nodeHeaders, text } from './reading.mjs'

const treasury = new ModernTreasury({ apiKey: 'not-used', organizationID: 'not-used' })

export const verify = ({ headers, body, secret }) =>
  treasury.webhooks.validateSignature(text(body), nodeHeaders(headers), { key: secret })

export const sign = ({ body, secret }) => treasury.webhooks.getSignature(text(body), { key: secret })
