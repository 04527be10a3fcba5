import type { Delivery } from '../delivery.ts'
import { ListenerConfigError } from '../errors.ts'
import { bodyBytes } from '../signing/body.ts'
import type { SignedRequest } from '../signing/sign.ts'
import type { MutatedRequest } from './wrong-requests.ts'

/**
 * Turns a signed request into the delivery that an adapter would pass to `verify`.
 *
 * @example
 * ```ts
 * const verdict = await verify(toDelivery(await signHmac({ secret, body: 'null' })), listener)
 * ```
 *
 * @throws ListenerConfigError if the argument is not such a request, or is a promise.
 */
export function toDelivery(request: SignedRequest | MutatedRequest, sourceIp?: string): Delivery {
  if (!request?.headers) {
    throw new ListenerConfigError('toDelivery', 'takes the result of signHmac() or signJwt(): await it')
  }
  return {
    method: request.method,
    url: 'url' in request ? request.url : undefined,
    header: (name) => request.headers[name],
    body: bodyBytes(request.body),
    sourceIp,
  }
}
