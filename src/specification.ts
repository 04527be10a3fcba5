/** The headers of hookgate's scheme, as docs/specification.md defines it. */
export const TIMESTAMP_HEADER = 'webhook-timestamp'
export const EVENT_ID_HEADER = 'webhook-event-id'
export const SIGNATURE_HEADER = 'webhook-signature'
