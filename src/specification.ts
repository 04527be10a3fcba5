import { TOLERANCE_SECONDS } from './limits.ts'
import type { TimeForm } from './schemes/kit/scheme.ts'

/** hookgate's scheme on the wire, as docs/specification.md defines it. */
export const TIMESTAMP_HEADER = 'webhook-timestamp'
export const EVENT_ID_HEADER = 'webhook-event-id'
export const SIGNATURE_HEADER = 'webhook-signature'

/** What is signed before the body. */
export function signedPrefix(timestampText: string, eventIdText: string): string {
  return `${timestampText}.${eventIdText}.`
}

/** How the time is written. */
export const TIME: TimeForm = {
  header: TIMESTAMP_HEADER,
  unit: 'seconds',
  of: 'attempt',
  toleranceSeconds: TOLERANCE_SECONDS,
}
