/** The headers of hookgate's scheme, as docs/specification.md defines it. */
export const TIMESTAMP_HEADER = 'webhook-timestamp'
export const EVENT_ID_HEADER = 'webhook-event-id'
export const SIGNATURE_HEADER = 'webhook-signature'

/** What `Webhook-Signature` covers before the body. */
export function signedBeforeBody(timestampText: string, eventIdText: string): string {
  return `${timestampText}.${eventIdText}.`
}
