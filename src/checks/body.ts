import { type Failure, fail } from '../reason.ts'
import type { Verification } from '../verification.ts'

/** Parses the body by its content type: any JSON text in UTF-8, or another format of the sender, e.g. a form. */
export function checkBody(
  verification: Verification,
): Failure<'body_not_json' | 'body_malformed'> | undefined {
  const result = verification.readBody()
  if ('reason' in result) return fail(result.reason, result.detail)
  verification.payload = result.payload
  return undefined
}
