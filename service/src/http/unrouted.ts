import type { Context } from 'hono'
import type { Env } from './bearer.ts'
import { Problem } from './problem.ts'
import type { Router } from './router.ts'

/** Answers requests without a route: 405 if the path has other methods (RFC 9110, 15.5.6), otherwise 404. */
export function unrouted(app: Router): (c: Context<Env>) => Response {
  return (c) => {
    const methods = new Set(app.routes.map(({ method }) => method).toSorted())
    methods.delete('ALL') // middleware, not a method
    const has = (method: string) =>
      app.router.match(method, c.req.path)[0].some(([[, route]]) => route.method === method)
    const allowed = [...methods]
      .filter(has)
      .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method))
    if (allowed.length === 0) return new Problem('route_unknown', 'There is no such route.').toResponse()
    const response = new Problem('method_not_allowed', `This path allows ${allowed.join(', ')}.`).toResponse()
    response.headers.set('allow', allowed.join(', '))
    return response
  }
}
