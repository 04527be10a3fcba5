import type { MiddlewareHandler } from 'hono'
import { tokenOf } from '../http/bearer.ts'
import type { Dependencies } from '../http/dependencies.ts'

const BASIC = /^Basic +([\w+/]{1,300}={0,2})$/i
const PROMPT = { 'www-authenticate': 'Basic realm="hookgate service", charset="UTF-8"' }
const HOW = 'Sign in with any name. The password is an access token with the role super_admin.\n'
// The browser sends a token that was not answered 401 again, and does not ask for another.
const LACKS_ROLE = 'This token lacks the role super_admin. To sign in with another, open a private window.\n'

/**
 * Admits only super admins, because runs hold other people's data. The browser sends the token as the password of HTTP
 * Basic. The API does not accept HTTP Basic, so another site cannot use the browser's credentials there.
 */
export function signedIn({ database, clock }: Dependencies): MiddlewareHandler {
  return async (c, next) => {
    const token = await tokenOf(database, asBearer(c.req.header('authorization') ?? ''), clock.now())
    // Only the page prompts. Its script asks again and again, which would open the dialog each time.
    if (token === undefined) return c.text(HOW, 401, c.req.path === '/' ? PROMPT : {})
    if (!token.roles.includes('super_admin')) return c.text(LACKS_ROLE, 403)
    return next()
  }
}

/** The password as a bearer token. Other headers stay as they are. */
function asBearer(header: string): string {
  const [, basic] = BASIC.exec(header) ?? []
  if (basic === undefined) return header
  return Buffer.from(basic, 'base64')
    .toString()
    .replace(/^[^:]*:/, 'Bearer ')
}
