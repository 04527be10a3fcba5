import { ListenerConfigError } from '../errors.ts'
import type { SchemaIssue, SchemaResult } from '../event.ts'
import { isPromise, whenKnown } from '../lib/maybe-promise.ts'
import { type CheckAnswer, type Failure, fail } from '../reason.ts'
import type { Verification } from '../verification.ts'

type PayloadFailure = Failure<'payload_invalid'>

const MOST_ISSUES = 5
const LONGEST_PATH = 80

/**
 * Validates the payload with the listener's schema, if it has one. Runs after authentication, so that strangers learn
 * nothing about the schema, and before the claim, so that a corrected delivery can reuse the event ID.
 */
export function checkPayload(verification: Verification): CheckAnswer<'payload_invalid'> {
  const schema = verification.listener.payload?.['~standard']
  if (schema === undefined) return undefined
  try {
    const kept = whenKnown(schema.validate(verification.payload), (result) =>
      keepResult(verification, result),
    )
    return isPromise(kept) ? kept.catch((cause: unknown) => schemaThrew(verification, cause)) : kept
  } catch (cause) {
    return schemaThrew(verification, cause)
  }
}

function keepResult(verification: Verification, result: SchemaResult<unknown>): PayloadFailure | undefined {
  if (result.issues)
    return fail(
      'payload_invalid',
      `the payload does not fit at ${result.issues.slice(0, MOST_ISSUES).map(pathOf).join(', ')}`,
    )
  if (!('value' in result))
    throw new ListenerConfigError('payload', 'validate() must answer with value or issues')
  verification.payload = result.value
  return undefined
}

/** A schema that throws refuses the payload. Its error may quote the payload, so only `onError` gets it. */
function schemaThrew(verification: Verification, cause: unknown): PayloadFailure {
  verification.problem = new ListenerConfigError('payload', 'the schema threw', { cause })
  return fail('payload_invalid', verification.problem.message)
}

function pathOf({ path = [] }: SchemaIssue): string {
  const keys = path.map((step) => String(typeof step === 'object' ? step.key : step))
  // The sender chooses member names, and this goes to logs.
  return ['payload', ...keys]
    .join('.')
    .slice(0, LONGEST_PATH)
    .replace(/[^ -~]/g, '?')
}
