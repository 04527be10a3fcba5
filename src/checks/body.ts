import { type Failure, fail } from '../reason.ts'
import type { Verification } from '../verification.ts'

/** Parses the body by its content type: any JSON text in UTF-8, or another format of the sender, e.g. a form. */
export function checkBody(
  verification: Verification,
): Failure<'body_not_json' | 'body_malformed'> | undefined {
  const reading = verification.body.read()
  if ('reason' in reading) return fail(reading.reason, reading.detail)
  verification.payload = reading.payload
  return undefined
}
