import { type Failure, fail } from '../reason.ts'
import type { SenderVerification } from '../verification.ts'

/** Parses the body by its content type: JSON or a form. Runs after authentication. */
export function checkSenderBody(
  verification: SenderVerification,
): Failure<'body_not_json' | 'body_malformed'> | undefined {
  const reading = verification.read()
  if ('reason' in reading) return fail(reading.reason, reading.detail)
  verification.payload = reading.payload
  return undefined
}
