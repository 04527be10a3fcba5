import { OpenAPIHono } from '@hono/zod-openapi'
import type { Env } from './bearer.ts'
import { refuseInvalid } from './failures.ts'
import { PROBLEM_STATUSES, type ProblemCode, problemSchema } from './problem.ts'

export type Router = OpenAPIHono<Env>

/** Every resource has one: what its schemas refuse is answered alike. */
export function newRouter(): Router {
  return new OpenAPIHono<Env>({ defaultHook: refuseInvalid })
}

/** What any route behind a token may answer. */
const ALWAYS: readonly ProblemCode[] = ['request_invalid', 'text_not_storable', 'unauthorized', 'unavailable']

/** The `responses` of a route for its refusals: one problem a status, its codes in the description. Routes throw them, so
 * that what a handler may return is not widened by them. */
export function refusals(...codes: readonly ProblemCode[]): object {
  const all = [...new Set([...ALWAYS, ...codes])]
  const responses = all.map((code) => [PROBLEM_STATUSES[code], responseOf(PROBLEM_STATUSES[code], all)])
  return Object.fromEntries(responses)
}

function responseOf(status: number, codes: readonly ProblemCode[]) {
  return {
    description: codes
      .filter((code) => PROBLEM_STATUSES[code] === status)
      .map((code) => `\`${code}\``)
      .join(', '),
    content: { 'application/problem+json': { schema: problemSchema } },
  }
}

/** A JSON body, as a route's `request.body` and as one of its `responses`. */
export function json<Schema>(schema: Schema) {
  return { content: { 'application/json': { schema } } }
}

/** Marks an operation that the specification does not show. */
export const ADDITION = { 'x-addition-to-specification': true } as const
