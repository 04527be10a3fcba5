import type { Evidence } from '../auth/evidence.ts'
import { parseJson } from '../lib/json.ts'
import { type Failure, fail } from '../reason.ts'

/** Accepts any JSON text in UTF-8. */
export function checkJsonBody(evidence: Evidence): Failure<'body_not_json'> | undefined {
  const parsed = parseJson(evidence.delivery.body)
  if ('problem' in parsed) return fail('body_not_json', parsed.problem)
  evidence.payload = parsed.value
  return undefined
}
