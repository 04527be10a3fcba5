import { OpenAPIHono } from '@hono/zod-openapi'
import type { Env } from './bearer.ts'
import { refuseInvalid } from './failures.ts'
import { PROBLEM_STATUSES, type ProblemCode, problemSchema } from './problem.ts'

export type Router = OpenAPIHono<Env>

/** The router of a resource. All routers answer schema violations alike. */
export function newRouter(): Router {
  return new OpenAPIHono<Env>({ defaultHook: refuseInvalid })
}

/** The refusals of every route with a token. */
const ALWAYS: readonly ProblemCode[] = ['request_invalid', 'text_not_storable', 'unauthorized', 'unavailable']

/**
 * The `responses` of a route for its refusals: one problem per status, with the codes in the description. Routes throw
 * them, so they do not widen a handler's return type.
 */
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

/** A JSON body, for a route's `request.body` or `responses`. */
export function json<Schema>(schema: Schema) {
  return { content: { 'application/json': { schema } } }
}

/** Marks an operation that the specification does not show. */
export const ADDITION = { 'x-addition-to-specification': true } as const
