import type { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { EvaluatorError } from '../cel/evaluator.ts'
import { isUnreachable } from '../database/unreachable.ts'
import { memberOf } from '../member-of.ts'
import { BusyError } from '../turns.ts'
import { Problem } from './problem.ts'

/** Postgres's codes for NUL in a text and for a lone surrogate in JSON. */
const UNSTORABLE_TEXT: readonly unknown[] = ['22021', '22P02', '22P05']

/** Turns every thrown error into a response. Unexpected errors are reported and not shown. */
export function replyTo(error: unknown, report: (error: unknown) => void): Response {
  if (error instanceof Problem) return error.toResponse()
  if (UNSTORABLE_TEXT.includes(memberOf(error, 'code'))) {
    return new Problem('text_not_storable', 'A text holds U+0000 or a lone surrogate.').toResponse()
  }
  // Hono throws this for a body that does not parse or has another Content-Type.
  if (error instanceof HTTPException && [400, 415].includes(error.status)) {
    const detail = 'The body is not JSON, or its Content-Type is not application/json.'
    return new Problem('body_not_json', detail).toResponse()
  }
  if (error instanceof BusyError) {
    const detail = 'Too many expressions of this policy are being evaluated. Nothing was changed.'
    return new Problem('evaluation_busy', detail).toResponse()
  }
  report(error)
  if (error instanceof EvaluatorError) {
    const detail = 'The process that evaluates expressions failed, and the next one too. Nothing was changed.'
    return new Problem('evaluator_failed', detail).toResponse()
  }
  if (isUnreachable(error)) {
    const detail = 'The database is unavailable. It is unknown whether anything changed.'
    return new Problem('unavailable', detail).toResponse()
  }
  return new Problem('internal', 'The service failed. Nothing was changed.').toResponse()
}

/** For a nullable value, reports what is wrong with the value instead of "matches neither schema". */
function innermost(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  const branches = issue.code === 'invalid_union' ? issue.errors : []
  const [near, ...others] = branches.filter((issues) => issues.some(({ path }) => path.length > 0))
  if (near === undefined || others.length > 0) return [issue]
  return near.flatMap((each) => innermost({ ...each, path: [...issue.path, ...each.path] }))
}

/** The hook of every router for a request that its schema refuses. */
export function refuseInvalid(
  result: { success: true } | { success: false; error: z.ZodError },
  _context: Context,
): undefined {
  if (result.success) return
  const errors = result.error.issues.flatMap(innermost).map(({ path, message }) => ({
    pointer: path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
    detail: message,
  }))
  throw new Problem('request_invalid', 'The request does not match its schema. See `errors`.', errors)
}
