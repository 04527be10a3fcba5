import { isPromise, type MaybePromise } from '../lib/maybe-promise.ts'
import type { SchemaIssue, SchemaResult } from '../payload-schema.ts'
import { type Attempt, type Failure, fail } from './check.ts'

type PayloadFailure = Failure<'payload_invalid'>

const MOST_ISSUES = 5
const LONGEST_PATH = 80

/**
 * The payload fits the listener's schema, if it has one. Asked after authentication, so that strangers learn nothing
 * of the schema, and before the claim, so that a corrected delivery may use the same event ID.
 */
export function checkPayload(attempt: Attempt): MaybePromise<PayloadFailure | undefined> {
  const schema = attempt.listener.payload?.['~standard']
  if (schema === undefined) return undefined
  try {
    const result = schema.validate(attempt.payload)
    return isPromise(result)
      ? result
          .then((given) => note(attempt, given))
          .then(undefined, (cause: unknown) => schemaThrew(attempt, cause))
      : note(attempt, result)
  } catch (cause) {
    return schemaThrew(attempt, cause)
  }
}

function note(attempt: Attempt, result: SchemaResult<unknown>): PayloadFailure | undefined {
  if (result.issues)
    return fail(
      'payload_invalid',
      `the payload does not fit at ${result.issues.slice(0, MOST_ISSUES).map(pathOf).join(', ')}`,
    )
  attempt.payload = result.value
  return undefined
}

/** A schema that throws has not vouched for the payload, and what it threw may quote it: only `onError` is shown that. */
function schemaThrew(attempt: Attempt, cause: unknown): PayloadFailure {
  attempt.problem = new Error('the payload schema threw', { cause })
  return fail('payload_invalid', attempt.problem.message)
}

function pathOf({ path = [] }: SchemaIssue): string {
  const keys = path.map((step) => String(typeof step === 'object' ? step.key : step))
  // Member names are the sender's words, and this goes to logs: no line breaks.
  return ['payload', ...keys]
    .join('.')
    .slice(0, LONGEST_PATH)
    .replace(/[^ -~]/g, '?')
}
