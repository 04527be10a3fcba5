import { type AddressMatcher, compileCidrs } from '../../src/lib/cidr.ts'
import { type NodeRequest, nodeHeaders } from './read-node.ts'

/** Longer chains are nobody's: the work for a header that a stranger wrote stays bounded. */
const MOST_HOPS = 32

/**
 * Walks `X-Forwarded-For` from its right end, where the nearest proxy wrote, as long as each address is a trusted
 * proxy's. The first one that is not is the source; everything left of it is what a stranger claims. No rules, no walk.
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
