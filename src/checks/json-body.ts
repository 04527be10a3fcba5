import { parseJson } from '../lib/json-text.ts'
import { type Attempt, type Failure, fail } from './check.ts'

/** Accepts any JSON text in UTF-8. */
export function checkJsonBody(attempt: Attempt): Failure<'body_not_json'> | undefined {
  const parsed = parseJson(attempt.delivery.body)
  if ('problem' in parsed) return fail('body_not_json', parsed.problem)
  attempt.payload = parsed.value
  return undefined
}
