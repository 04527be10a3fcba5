import { STATUS_CODES } from 'node:http'
import { z } from '@hono/zod-openapi'

/** The status of every refusal, by code. The only place for these statuses. */
export const PROBLEM_STATUSES = {
  request_invalid: 400,
  body_not_json: 400,
  text_not_storable: 400,
  page_token_invalid: 400,
  expand_path_unknown: 400,
  reference_unknown: 400,
  policy_invalid: 400,
  webhook_invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  feature_disabled: 403,
  route_unknown: 404,
  task_unknown: 404,
  policy_step_unknown: 404,
  policy_unknown: 404,
  app_unknown: 404,
  automation_unknown: 404,
  listener_unknown: 404,
  secret_unknown: 404,
  run_unknown: 404,
  method_not_allowed: 405,
  policy_step_done: 409,
  policy_step_unassigned: 409,
  task_closed: 409,
  policy_builtin: 409,
  policy_in_use: 409,
  id_taken: 409,
  policy_rule_failed: 409,
  secret_last: 409,
  body_too_large: 413,
  internal: 500,
  automation_not_running: 503,
  evaluation_busy: 503,
  evaluator_failed: 503,
  unavailable: 503,
} as const

export type ProblemCode = keyof typeof PROBLEM_STATUSES

/** The seconds after which a retry makes sense. */
const RETRY_AFTER_SECONDS: Partial<Record<ProblemCode, number>> = {
  automation_not_running: 60,
  evaluation_busy: 5,
  evaluator_failed: 5,
  unavailable: 5,
}

function titleOf(status: number): string {
  if (status === 413) return 'Content Too Large' // Node has its name of before RFC 9110
  return STATUS_CODES[status] ?? ''
}

export const problemSchema = z
  .object({
    status: z.int(),
    title: z.string(),
    code: z.string().openapi({ examples: Object.keys(PROBLEM_STATUSES) }),
    detail: z.string().openapi({ description: 'What is wrong and how to fix it, for a developer.' }),
    errors: z
      .array(z.object({ pointer: z.string(), detail: z.string() }))
      .optional()
      .openapi({ description: 'With `request_invalid`: each invalid field, as a JSON pointer.' }),
  })
  .openapi('Problem', { description: 'A refusal of the API (RFC 9457). Programs should use `code`.' })

export type ProblemBody = z.infer<typeof problemSchema>

/** A refusal. Throw it anywhere. Inside a transaction, it causes a rollback. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: ProblemCode
  readonly errors: ProblemBody['errors']

  constructor(code: ProblemCode, detail: string, errors?: ProblemBody['errors']) {
    super(detail)
    this.code = code
    this.errors = errors
  }

  get status() {
    return PROBLEM_STATUSES[this.code]
  }

  toResponse(): Response {
    const { status, code, message: detail, errors } = this
    const body: ProblemBody = { status, title: titleOf(status), code, detail, ...(errors && { errors }) }
    const headers = new Headers({ 'content-type': 'application/problem+json', 'cache-control': 'no-store' })
    if (status === 401) headers.set('www-authenticate', 'Bearer')
    const seconds = RETRY_AFTER_SECONDS[code]
    if (seconds !== undefined) headers.set('retry-after', `${seconds}`)
    if (status === 413) headers.set('connection', 'close') // the rest of the body is not read
    return Response.json(body, { status, headers })
  }
}
