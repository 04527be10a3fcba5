import { type Failure, fail, type SenderAttempt } from './check.ts'

/** The body parses as what its content type says: JSON, or a form. Asked after authentication. */
export function checkSenderBody(
  attempt: SenderAttempt,
): Failure<'body_not_json' | 'body_malformed'> | undefined {
  const reading = attempt.read()
  if ('reason' in reading) return fail(reading.reason, reading.detail)
  attempt.payload = reading.payload
  return undefined
}
