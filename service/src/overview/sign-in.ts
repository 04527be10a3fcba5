import type { MiddlewareHandler } from 'hono'
import { tokenOf } from '../http/bearer.ts'
import type { Dependencies } from '../http/dependencies.ts'

const BASIC = /^Basic +([\w+/]{1,300}={0,2})$/i
const HOW = 'Sign in with any name, and an access token of the role super_admin as the password.\n'

/**
 * Lets super admins through, because inputs of runs are other people's. A browser asks for the token and sends it as the
 * password of HTTP Basic, which only these pages take: the API does not, so no other site can use it there.
 */
export function signedIn(dependencies: Dependencies): MiddlewareHandler {
  return async (c, next) => {
    const token = await tokenGiven(dependencies, c.req.header('authorization') ?? '')
    if (token === undefined) {
      return c.text(HOW, 401, { 'www-authenticate': 'Basic realm="hookgate service", charset="UTF-8"' })
    }
    if (!token.roles.includes('super_admin')) return c.text(HOW, 403)
    return next()
  }
}

function tokenGiven({ database, clock }: Dependencies, header: string): ReturnType<typeof tokenOf> {
  const [, basic] = BASIC.exec(header) ?? []
  const password =
    basic &&
    Buffer.from(basic, 'base64')
      .toString()
      .replace(/^[^:]*:/, '')
  return tokenOf(database, password ? `Bearer ${password}` : header, clock.now())
}
