import type { LookupFunction, Socket } from 'node:net'
import { aFunction, checkedElsewhere, checkOptions, type OptionTable, optional } from '../src/lib/options.ts'
import { addressGuard, refused } from './address-guard.ts'
import type { PublicOnlyOptions } from './public-only.ts'

/**
 * What undici asks of a connector: a connection to `hostname`, which is a name or an address.
 *
 * @see {@link publicConnector}
 */
export interface ConnectorTarget {
  /** The host to connect to. */
  readonly hostname: string
  /** Set to connect to a Unix socket, which is refused. */
  readonly socketPath?: string | null
  /** Set to connect through a proxy, which is refused. */
  readonly httpSocket?: Socket
}

/**
 * A connector of undici.
 *
 * @see {@link publicConnector}
 */
export type Connector<Target extends ConnectorTarget> = (
  target: Target,
  callback: (...outcome: [error: null, socket: Socket] | [error: Error, socket: null]) => void,
) => void

const OPTIONS: OptionTable<Pick<PublicOnlyOptions, 'allow' | 'lookup'>> = {
  allow: checkedElsewhere,
  lookup: optional(aFunction),
}

/**
 * The guard of `publicOnly` for undici and its `fetch`: a connector that refuses every address that is not public. It judges each
 * connection, so redirects are judged too. Unix sockets and proxies are refused.
 *
 * @param buildConnector Of the undici that you use. Bind options of its own, such as `ca` or `timeout`, into a function.
 *
 * @example
 * ```ts no-check
 * import { Agent, buildConnector, fetch } from 'undici'
 * const dispatcher = new Agent({ connect: publicConnector(buildConnector) })
 * await fetch(url, { dispatcher })
 * ```
 *
 * @throws ListenerConfigError for unknown or wrong options.
 */
export function publicConnector<Target extends ConnectorTarget>(
  buildConnector: (options: { lookup: LookupFunction }) => Connector<Target>,
  options: Pick<PublicOnlyOptions, 'allow' | 'lookup'> = {},
): Connector<Target> {
  checkOptions('publicConnector', options, OPTIONS)
  const guard = addressGuard(options.allow, options.lookup)
  const connect = buildConnector({ lookup: guard.lookup })
  return (target, callback) => {
    const indirect = target.socketPath ? 'a Unix socket' : target.httpSocket && 'the far end of a proxy'
    const refusal = indirect ? refused(indirect) : guard.refusalOf(target.hostname)
    return refusal === undefined ? connect(target, callback) : callback(refusal, null)
  }
}
