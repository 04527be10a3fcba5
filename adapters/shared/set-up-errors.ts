import { ListenerConfigError } from '../../src/errors.ts'

/** What a developer reads whose parser was first: the exact bytes are gone, and printing them anew changes them. */
export function bodyTaken(): ListenerConfigError {
  const problem = 'was read before verifyWebhook could, and its exact bytes are gone'
  const mend =
    'mount verifyWebhook before every body parser (express.json(), c.req.json(), request.json(), …)'
  return new ListenerConfigError('body', `${problem}: ${mend}, or keep the bytes in request.rawBody`)
}

/** What stands in the listener's place may be a request, or Hono's context. */
export function noListener(caller: string, found: unknown): ListenerConfigError {
  const { headers, req } = Object(found)
  if (headers || req) {
    return new ListenerConfigError(
      caller,
      'was mounted itself: call it, and mount what it makes of a listener',
    )
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
  return new ListenerConfigError('listener', 'a lookup must find what defineListener() made, or undefined')
}

/** A body of that size would never get a place. */
export function bytesTooFew(maxBodyBytes: number): ListenerConfigError {
  return new ListenerConfigError(
    'maxConcurrentBytes',
    `must be at least maxBodyBytes of the listener, which is ${maxBodyBytes}`,
  )
}

/** With such a setting the source is the left end of X-Forwarded-For, which the sender writes. */
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

/** Undefined would do where the platform does not know it: leaving it out is more often an oversight. */
export function addressNotGiven(): ListenerConfigError {
  return new ListenerConfigError('ip', 'a listener with allowedCidrs needs it: call with (request, { ip })')
}

export function sourceTwice(): ListenerConfigError {
  return new ListenerConfigError('sourceIp', 'give it or trustedProxies, not both')
}

/** The adapter of one framework, mounted on another. */
export function otherFramework(): ListenerConfigError {
  const mend = 'import from hookgate/express, /fastify, /hono or /web, whichever your server is'
  return new ListenerConfigError('request', `is of another framework: ${mend}`)
}

/** A text, say, or an object that Fastify or Express would make an answer of. */
export function noResponse(): ListenerConfigError {
  return new ListenerConfigError('handler', 'must return a Response, like Response.json(…), or nothing')
}

/** As a hook, as a handler, or called. */
function notRegistered(): ListenerConfigError {
  return new ListenerConfigError(
    'verifyWebhook',
    'is a plugin: scope.register(verifyWebhook, { listener }), in a scope of its own',
  )
}

/**
 * The plugin of Fastify, with what it was called with. Express 4 and connect look at no promise: there the error goes to
 * `next`.
 *
 * @throws ListenerConfigError wherever else.
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

/** Routes of a scope that was there before keep the parsers of Fastify, which wait for a body that has been read. */
export function scopeBefore(): ListenerConfigError {
  const problem = 'was registered after a scope inside its own, whose routes would never get their bodies'
  return new ListenerConfigError('verifyWebhook', `${problem}: register it first`)
}

export function mountedTwice(): ListenerConfigError {
  return new ListenerConfigError(
    'verifyWebhook',
    'was mounted twice on the way of one request; mount it once',
  )
}
