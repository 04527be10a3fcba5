import { decodeUtf8 } from '../lib/utf8.ts'
import { type Attempt, type Failure, fail } from './check.ts'

/**
 * Any JSON text in UTF-8 (specification 4.2; RFC 8259), without a byte order mark: scalars, `__proto__` members and
 * repeated members are valid. The value is used as `JSON.parse` gives it: of repeated members the last one counts.
 */
export function checkJsonBody(attempt: Attempt): Failure<'body_not_json'> | undefined {
  const text = decodeUtf8(attempt.delivery.body)
  if (text === undefined) return fail('body_not_json', 'the body is not UTF-8')
  try {
    attempt.payload = JSON.parse(text)
    return undefined
  } catch {
    // The engine's message quotes the body, so it is not passed on.
    return fail('body_not_json', text === '' ? 'the body is empty' : 'the body is not JSON')
  }
}
