import type { Context } from 'hono'
import type { Env } from './bearer.ts'
import { Problem } from './problem.ts'
import type { Router } from './router.ts'

/** Where no route is: 405 when the path has others (RFC 9110, 15.5.6), else 404. */
export function unrouted(app: Router): (c: Context<Env>) => Response {
  return (c) => {
    const methods = new Set(app.routes.map(({ method }) => method).toSorted())
    methods.delete('ALL') // is middleware
    const has = (method: string) =>
      app.router.match(method, c.req.path)[0].some(([[, route]]) => route.method === method)
    const allowed = [...methods]
      .filter(has)
      .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method))
    if (allowed.length === 0) return new Problem('route_unknown', 'There is nothing here.').toResponse()
    return notAllowed(allowed.join(', '))
  }
}

function notAllowed(methods: string): Response {
  const response = new Problem('method_not_allowed', `This path takes ${methods}.`).toResponse()
  response.headers.set('allow', methods)
  return response
}
