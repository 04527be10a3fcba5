import type { MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { type Env, type Role, requireRole } from './bearer.ts'
import { Problem } from './problem.ts'

/** The largest body of the main API. The webhook listener has the specification's own limit. */
const MAX_BODY_BYTES = 262_144

const limitBody: MiddlewareHandler<Env> = bodyLimit({
  maxSize: MAX_BODY_BYTES,
  onError: () => {
    throw new Problem('body_too_large', `The body must have at most ${MAX_BODY_BYTES} bytes.`)
  },
})

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Hono's own reader replaces malformed UTF-8 with U+FFFD, which would store another text than was sent. */
const requireUtf8: MiddlewareHandler<Env> = async (c, next) => {
  try {
    utf8.decode(await c.req.arrayBuffer())
  } catch {
    throw new Problem('body_not_json', 'The body is incomplete or not UTF-8.')
  }
  await next()
}

/** The `middleware` of a route with a body. Checks size and encoding before the schema is applied. */
export const takesBody = { middleware: [limitBody, requireUtf8] }

/** Like `takesBody`, but first refuses callers without one of the roles. */
export function takes(...roles: readonly Role[]) {
  const authorize: MiddlewareHandler<Env> = async (c, next) => {
    requireRole(c.var.caller, ...roles)
    await next()
  }
  return { middleware: [authorize, ...takesBody.middleware] }
}
