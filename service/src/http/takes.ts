import type { MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { type Env, type Role, requireRole } from './bearer.ts'
import { Problem } from './problem.ts'

/** The largest body of the main API. The webhook listener has its own limit, which is the specification's. */
const MAX_BODY_BYTES = 262_144

const limitBody: MiddlewareHandler<Env> = bodyLimit({
  maxSize: MAX_BODY_BYTES,
  onError: () => {
    throw new Problem('body_too_large', `A body has at most ${MAX_BODY_BYTES} bytes.`)
  },
})

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Hono's own reader puts U+FFFD where the bytes are no text, and what is kept would be another text than was sent. */
const requireUtf8: MiddlewareHandler<Env> = async (c, next) => {
  try {
    utf8.decode(await c.req.arrayBuffer())
  } catch {
    throw new Problem('body_not_json', 'The body is not whole, or not UTF-8.')
  }
  await next()
}

/** As `middleware` of a route with a body, these judge its size and its bytes before the schemas judge the rest. */
export const takesBody = { middleware: [limitBody, requireUtf8] }

/** As above, for callers with one of the roles: anybody else is refused before the request is judged at all. */
export function takes(...roles: readonly Role[]) {
  const authorize: MiddlewareHandler<Env> = async (c, next) => {
    requireRole(c.var.caller, ...roles)
    await next()
  }
  return { middleware: [authorize, ...takesBody.middleware] }
}
