/** Marks received requests. A WeakSet would cost the garbage collector more than the checks cost. */
const RECEIVED: unique symbol = Symbol('verifyWebhook')

/** Marks a request, and returns whether it was marked before. */
export function markReceived(request: { [RECEIVED]?: boolean }): boolean {
  const before = request[RECEIVED] === true
  request[RECEIVED] = true
  return before
}
