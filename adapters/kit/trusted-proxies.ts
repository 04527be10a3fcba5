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
 * @throws ListenerConfigError for a rule that is not a CIDR, and for rules that trust everyone together.
 */
export function behindProxies(
  rules: readonly string[] | undefined,
): ((request: NodeRequest) => string | undefined) | undefined {
  if (rules === undefined) return undefined
  const isTrusted: AddressMatcher = compileCidrs(rules, 'trustedProxies')
  if (believesStrangers(sourceOf)) throw trustsEveryProxy('trustedProxies')
  return sourceOf

  function sourceOf(request: ForwardedRequest): string | undefined {
    const forwardedFor = nodeHeaders(request)('x-forwarded-for')
    const hops = forwardedFor === undefined ? [] : `${forwardedFor}`.split(',', MOST_HOPS + 1)
    if (hops.length > MOST_HOPS) return undefined
    let source = request.socket.remoteAddress
    while (source !== undefined && hops.length > 0 && isTrusted(source)) source = hops.pop()?.trim()
    return source
  }
}

/** The part of a Node request that tells its source. */
interface ForwardedRequest extends Pick<NodeRequest, 'rawHeaders' | 'headers'> {
  readonly socket: { readonly remoteAddress?: string | undefined }
}

/**
 * Addresses of root name servers and of documentation (RFC 5737, 3849, 9637). No proxy has one, so a setting that trusts them all
 * trusts everyone. A list of networks that are not routed may hold the documentation addresses alone.
 */
const IPV4 = ['192.0.2.1', '198.51.100.1', '203.0.113.1', '193.0.14.129', '198.41.0.4', '202.12.27.33']
const IPV6 = ['2001:db8::1', '3fff::1', '2001:7fd::1', '2001:503:ba3e::2:30', '2001:dc3::35']

/** More than anyone has, and within `MOST_HOPS`. */
const MADE_UP_HOPS = 30

const MADE_UP = '192.0.2.2'

/**
 * Whether a framework takes the address that a stranger has made up, behind more proxies than anyone has. For settings whose rule
 * cannot be read: asks for the source of requests that nobody has sent.
 *
 * @param sourceOf How the framework finds the source of a request.
 */
export function believesStrangers(sourceOf: (request: ForwardedRequest) => unknown): boolean {
  const mapped = IPV4.map((address) => `::ffff:${address}`)
  return [IPV4, mapped, IPV6].some((addresses) => {
    const chain = Array.from({ length: MADE_UP_HOPS }, (_, hop) => addresses[hop % addresses.length])
    const headers = { 'x-forwarded-for': [MADE_UP, ...chain].join(', ') }
    try {
      return sourceOf({ rawHeaders: [], headers, socket: { remoteAddress: chain[0] } }) === MADE_UP
    } catch {
      return false // a rule that throws trusts nobody
    }
  })
}

/**
 * The error for a framework that trusts every proxy: the source would be the left end of X-Forwarded-For, which the sender
 * controls.
 */
export function trustsEveryProxy(setting: string): ListenerConfigError {
  return new ListenerConfigError(setting, 'lets every sender choose its address; list your proxies instead')
}
