import { ListenerConfigError } from '../../src/errors.ts'
import { type AddressMatcher, compileCidrs } from '../../src/lib/cidr.ts'
import { type NodeRequest, nodeHeaders } from './read-node.ts'

/** Longer than any real chain. Bounds the work that a stranger's header can cause. */
const MOST_HOPS = 32

/**
 * Walks `X-Forwarded-For` from the right, where the nearest proxy writes, past every trusted proxy. The first untrusted
 * address is the source; anything left of it is unverified. Returns undefined without rules.
 *
 * @example
 * ```ts
 * const incoming = fromNode(req, res, behindProxies(['10.0.0.0/8']))
 * ```
 *
 * @throws ListenerConfigError for a rule that is not a CIDR.
 */
export function behindProxies(
  rules: readonly string[] | undefined,
): ((request: NodeRequest) => string | undefined) | undefined {
  if (rules === undefined) return undefined
  const isTrusted: AddressMatcher = compileCidrs(rules, 'trustedProxies')
  return (request) => {
    const forwardedFor = nodeHeaders(request)('x-forwarded-for')
    const hops = forwardedFor === undefined ? [] : `${forwardedFor}`.split(',', MOST_HOPS + 1)
    if (hops.length > MOST_HOPS) return undefined
    let source = request.socket.remoteAddress
    while (source !== undefined && hops.length > 0 && isTrusted(source)) source = hops.pop()?.trim()
    return source
  }
}

/**
 * The error for a framework that trusts every proxy: the source would be the left end of X-Forwarded-For, which the sender
 * controls.
 *
 * @example
 * ```ts
 * if (app.proxy && listener.isSourceAllowed) throw trustsEveryProxy('app.proxy')
 * ```
 */
export function trustsEveryProxy(setting: string): ListenerConfigError {
  const problem = 'true lets every sender choose its address; list your proxies instead'
  return new ListenerConfigError(setting, problem)
}
