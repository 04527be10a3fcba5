import { type Failure, fail, type SenderAttempt } from './check.ts'

/** Parses the body by its content type: JSON or a form. Runs after authentication. */
export function checkSenderBody(
  attempt: SenderAttempt,
): Failure<'body_not_json' | 'body_malformed'> | undefined {
  const reading = attempt.read()
  if ('reason' in reading) return fail(reading.reason, reading.detail)
  attempt.payload = reading.payload
  return undefined
}
