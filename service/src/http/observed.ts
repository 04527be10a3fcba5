import type { MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'
import type { Metrics } from '../metrics.ts'

const BUCKET_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Of 1 to 255 characters that may stand in a log. */
const HARMLESS_ID = /^[\w=-]{1,255}$/

/**
 * Measures each response by its route, which names no object, and gives it the ID of the request, or a new one. Hono's
 * `requestId()` takes ten times as long, because it sets its header before there is a response.
 */
export function observed({ meter }: Metrics): MiddlewareHandler<{ Variables: { requestId: string } }> {
  const duration = meter.createHistogram('http.server.request.duration', {
    unit: 's',
    description: 'Time from the request to the first byte of the response',
    advice: { explicitBucketBoundaries: BUCKET_SECONDS },
  })
  return async (c, next) => {
    const began = performance.now()
    const given = c.req.header('x-request-id') ?? ''
    const id = HARMLESS_ID.test(given) ? given : crypto.randomUUID()
    c.set('requestId', id)
    await next()
    c.res.headers.set('x-request-id', id)
    duration.record((performance.now() - began) / 1_000, {
      'http.request.method': METHODS.includes(c.req.method) ? c.req.method : '_OTHER',
      'http.response.status_code': c.res.status,
      'http.route': routePath(c),
    })
  }
}

/** Strangers may invent others. */
const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'PUT', 'OPTIONS']
