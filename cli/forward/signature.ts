import { createHmac } from 'node:crypto'
import type { OutgoingHttpHeaders } from 'node:http'
import { decodeBase64 } from '../../src/lib/bytes.ts'
import { UsageError } from '../command-line/exit.ts'

const FORMATS = ['standard-webhooks', 'hookgate'] as const
export type ForwardFormat = (typeof FORMATS)[number]

/** @throws UsageError for any other word. */
export function formatNamed(name: string = 'standard-webhooks'): ForwardFormat {
  const format = FORMATS.find((each) => each === name)
  if (format !== undefined) return format
  throw new UsageError(`--forward-format takes ${FORMATS.join(' or ')}`)
}

const PREFIX = 'whsec_'
/** Of a key, in bytes, as Standard Webhooks limits senders. */
const [FEWEST, MOST] = [24, 64]

/**
 * Nothing is decoded on a guess: whatever is not written as Standard Webhooks writes a secret signs nothing.
 *
 * @throws UsageError that does not repeat the secret.
 */
export function checkStandardSecret(secret: string, place: string): void {
  const length = secret.startsWith(PREFIX) ? decodeBase64(secret.slice(PREFIX.length))?.length : undefined
  if (length !== undefined && length >= FEWEST && length <= MOST) return
  throw new UsageError(
    `${place}: must be ${PREFIX} and the padded base64 of ${FEWEST} to ${MOST} bytes, as hookgate secret --whsec prints it; to sign with any other text in hookgate's own format, add --forward-format hookgate`,
  )
}

/** Signs with the current time, because the app would refuse an old timestamp. */
export function signatureHeaders(
  id: string,
  rawBody: Uint8Array,
  secret: string,
  format: ForwardFormat,
): OutgoingHttpHeaders {
  const timestamp = `${Math.floor(Date.now() / 1000)}`
  const isStandard = format === 'standard-webhooks'
  const key = isStandard ? Buffer.from(secret.slice(PREFIX.length), 'base64') : secret
  const before = isStandard ? `${id}.${timestamp}.` : `${timestamp}.${id}.`
  const mac = createHmac('sha256', key).update(before).update(rawBody)
  return {
    [isStandard ? 'webhook-id' : 'webhook-event-id']: id, // the one that is signed
    'webhook-timestamp': timestamp,
    'webhook-signature': isStandard ? `v1,${mac.digest('base64')}` : mac.digest('base64url'),
  }
}

/** The gateway's own, which it signs with. */
const SIGNATURE_HEADER = /^webhook-(?:id|timestamp|signature)$/
/** Svix's libraries read these in place of the gateway's. */
const READ_BY_SVIX = /^svix-(?:id|timestamp|signature)$/

/** Whether a header of the sender would pass for the gateway's signature, or hide it. */
export function isOfSignature(name: string, format: ForwardFormat): boolean {
  return SIGNATURE_HEADER.test(name) || (format === 'standard-webhooks' && READ_BY_SVIX.test(name))
}
