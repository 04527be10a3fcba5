import { ListenerConfigError } from '../../src/errors.ts'

/** A body parser ran first. The exact bytes are gone, and serializing the payload again would change them. */
export function bodyTaken(): ListenerConfigError {
  const problem = 'was read before verifyWebhook could, and its exact bytes are gone'
  const mend =
    'mount verifyWebhook before every body parser (express.json(), c.req.json(), request.json(), …)'
  return new ListenerConfigError('body', `${problem}: ${mend}, or keep the bytes in request.rawBody`)
}

/** If `verifyWebhook` was mounted without a call, `found` is a request or Hono's context. */
export function noListener(caller: string, found: unknown): ListenerConfigError {
  const { headers, req } = Object(found)
  if (headers || req) {
    const given = caller === 'webhookHandler' ? 'listener, handler' : 'listener'
    return new ListenerConfigError(caller, `was passed as a function; call it: ${caller}(${given})`)
  }
  return new ListenerConfigError(
    'listener',
    'must come from defineListener(), or be a function that finds one',
  )
}

export function notAListener(): ListenerConfigError {
  return new ListenerConfigError('listener', 'must come from defineListener()')
}

export function nothingFound(): ListenerConfigError {
  return new ListenerConfigError(
    'listener',
    'a lookup must return the result of defineListener(), or undefined',
  )
}

/** Bodies of this size could never be admitted. */
export function bytesTooFew(maxBodyBytes: number): ListenerConfigError {
  return new ListenerConfigError(
    'maxConcurrentBytes',
    `must be at least maxBodyBytes of the listener, which is ${maxBodyBytes}`,
  )
}

/** The source would be the left end of X-Forwarded-For, which the sender controls. */
export function trustsEveryProxy(setting: 'trust proxy' | 'trustProxy'): ListenerConfigError {
  return new ListenerConfigError(
    setting,
    'true lets every sender choose its address; list your proxies instead',
  )
}

export function sourceUnknown(): ListenerConfigError {
  return new ListenerConfigError(
    'sourceIp',
    'a listener with allowedCidrs needs it, or trustedProxies, to know the source',
  )
}

/** `ip: undefined` is allowed; omitting `ip` is usually a mistake. */
export function addressNotGiven(): ListenerConfigError {
  return new ListenerConfigError('ip', 'a listener with allowedCidrs needs it: call with (request, { ip })')
}

export function sourceTwice(): ListenerConfigError {
  return new ListenerConfigError('sourceIp', 'give it or trustedProxies, not both')
}

/** The adapter is mounted on another framework. */
export function otherFramework(): ListenerConfigError {
  const mend = 'import from hookgate/express, /fastify, /hono or /web, whichever your server is'
  return new ListenerConfigError('request', `is from another framework: ${mend}`)
}

/** E.g. a string or an object, which Fastify or Express would send. */
export function noResponse(): ListenerConfigError {
  return new ListenerConfigError('handler', 'must return a Response, like Response.json(…), or nothing')
}

/** Used as a hook or a handler, or called. */
function notRegistered(): ListenerConfigError {
  return new ListenerConfigError(
    'verifyWebhook',
    'is a plugin: scope.register(verifyWebhook, { listener }), in a scope of its own',
  )
}

/**
 * Refuses a Fastify plugin that was called as something else. Express 4 and connect ignore promises, so the error goes to
 * `next` there.
 *
 * @throws ListenerConfigError everywhere else.
 */
export function refuseMount([, response, next]: readonly unknown[]): void {
  const isMiddleware = typeof next === 'function' && 'writeHead' in Object(response)
  if (!isMiddleware) throw notRegistered()
  next(notRegistered())
}

export function secondParser(): ListenerConfigError {
  return new ListenerConfigError(
    'addContentTypeParser',
    'verifyWebhook is the parser of its scope: add no other',
  )
}

/** Scopes created earlier keep Fastify's parsers, which would wait for a body that has been read. */
export function scopeBefore(): ListenerConfigError {
  const problem = 'was registered after a scope inside its own, whose routes would never get their bodies'
  return new ListenerConfigError('verifyWebhook', `${problem}: register it first`)
}

export function mountedTwice(): ListenerConfigError {
  return new ListenerConfigError('verifyWebhook', 'was mounted twice for one request; mount it once')
}
