import type { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { isUnreachable } from '../database/unreachable.ts'
import { Problem } from './problem.ts'

/** Postgres cannot keep NUL in a text, nor half of a surrogate pair in JSON. */
const UNSTORABLE_TEXT: readonly unknown[] = ['22021', '22P02', '22P05']

/** The one place where what was thrown becomes a reply. What is not a refusal is reported, and says nothing outside. */
export function replyTo(error: unknown, report: (error: unknown) => void): Response {
  if (error instanceof Problem) return error.toResponse()
  if (UNSTORABLE_TEXT.includes(Reflect.get(Object(error), 'code'))) {
    return new Problem('text_not_storable', 'A text holds U+0000 or half of a surrogate pair.').toResponse()
  }
  // What Hono itself throws for a body that it cannot parse, or whose Content-Type says that it is something else.
  if (error instanceof HTTPException && [400, 415].includes(error.status)) {
    const detail = 'The body is not JSON, or has no Content-Type that says so: application/json.'
    return new Problem('body_not_json', detail).toResponse()
  }
  report(error)
  if (isUnreachable(error)) {
    const detail = 'The database is unavailable. Whether anything was changed is not known.'
    return new Problem('unavailable', detail).toResponse()
  }
  return new Problem('internal', 'The service failed. Nothing was changed.').toResponse()
}

/** Of what may be null, and is neither: what is wrong with it, instead of that it fits neither schema. */
function innermost(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  const branches = issue.code === 'invalid_union' ? issue.errors : []
  const [near, ...others] = branches.filter((issues) => issues.some(({ path }) => path.length > 0))
  if (near === undefined || others.length > 0) return [issue]
  return near.flatMap((each) => innermost({ ...each, path: [...issue.path, ...each.path] }))
}

/** Hook of every router: a request that its schema refuses. */
export function refuseInvalid(
  result: { success: true } | { success: false; error: z.ZodError },
  _context: Context,
): undefined {
  if (result.success) return
  const errors = result.error.issues.flatMap(innermost).map(({ path, message }) => ({
    pointer: path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
    detail: message,
  }))
  throw new Problem('request_invalid', 'The request does not fit its schema; `errors` says where.', errors)
}
