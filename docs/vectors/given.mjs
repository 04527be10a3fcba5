// The parts of a delivery in docs/vectors/deliveries.json.
import { createHmac } from 'node:crypto'

export const NOW = 1_790_000_000
export const SUBJECT = 'https://tenant.example'
export const AUDIENCE = 'https://api.example/api/v1/webhooks/incoming/vectors'
export const BODY = '{"order":"A-1","total":12.5}'
export const EVENT_ID = '7f1d3c5e-0a4b-4c8d-9e2f-112233445566'

let count = 0
const newId = () => `5eed0000-0000-4000-8000-${String(++count).padStart(12, '0')}`

/** A correct sender's delivery. `change` is a mistake that the sender makes before it signs. */
export function given({ timestamp = `${NOW}`, id = newId(), body = BODY, headers = {} } = {}) {
  const bytes = Buffer.from(body)
  const common = {
    'content-type': 'application/json',
    'webhook-timestamp': timestamp,
    'webhook-event-id': id,
  }
  return { timestamp, id, bytes, headers: { ...common, ...headers } }
}

export function vector(listener, name, { headers, bytes }, reason) {
  const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined))
  return { name, listener, headers: sent, bodyBase64: bytes.toString('base64'), ...reason }
}

export const YES = { status: 200 }
export const no = (status, reason) => ({ status, reason })

export function mac(key, prefix, bytes, encoding = 'base64url') {
  return createHmac('sha256', key).update(prefix).update(bytes).digest(encoding)
}
