/** On a request that a receiver has seen. A WeakSet of them costs the garbage collector more than the checks cost. */
const RECEIVED: unique symbol = Symbol('verifyWebhook')

/** Marks a request, and tells whether it was marked before. */
export function markReceived(request: { [RECEIVED]?: boolean }): boolean {
  const before = request[RECEIVED] === true
  request[RECEIVED] = true
  return before
}
