import type { Context, MiddlewareHandler } from 'hono'
import { tokenOf } from '../http/bearer.ts'
import type { Dependencies } from '../http/dependencies.ts'

const BASIC = /^Basic +([\w+/]{1,300}={0,2})$/i
const PROMPT = { 'www-authenticate': 'Basic realm="hookgate service", charset="UTF-8"' }
const HOW = 'Sign in with any name. The password is an access token with the role super_admin.\n'

/**
 * Admits only super admins, because runs hold other people's data. The browser sends the token as the password of HTTP
 * Basic. The API does not accept HTTP Basic, so another site cannot use the browser's credentials there.
 */
export function signedIn(dependencies: Dependencies): MiddlewareHandler {
  return async (c, next) => {
    const token = await tokenGiven(dependencies, c)
    // Only the page prompts. The stream is opened again and again, which would open the dialog each time.
    if (token === undefined) return c.text(HOW, 401, c.req.path === '/' ? PROMPT : {})
    if (!token.roles.includes('super_admin')) return c.text(HOW, 403)
    return next()
  }
}

/** The token of the request. Undefined once it is revoked or expired. */
export function tokenGiven({ database, clock }: Dependencies, c: Context): ReturnType<typeof tokenOf> {
  const header = c.req.header('authorization') ?? ''
  const [, basic] = BASIC.exec(header) ?? []
  const password =
    basic &&
    Buffer.from(basic, 'base64')
      .toString()
      .replace(/^[^:]*:/, '')
  return tokenOf(database, password ? `Bearer ${password}` : header, clock.now())
}
