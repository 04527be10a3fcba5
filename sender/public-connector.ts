import type { LookupFunction, Socket } from 'node:net'
import { aFunction, checkedElsewhere, checkOptions, type OptionTable, optional } from '../src/lib/options.ts'
import { addressGuard, addressRefused } from './address-guard.ts'
import type { PublicOnlyOptions } from './public-only.ts'

/** The target that undici passes to a connector. `hostname` is a name or an address. */
export interface ConnectorTarget {
  /** The host to connect to. */
  readonly hostname: string
  /** A Unix socket to connect to, which is refused. */
  readonly socketPath?: string | null
  /** A proxy to connect through, which is refused. */
  readonly httpSocket?: Socket
}

/** An undici connector. */
export type Connector<Target extends ConnectorTarget> = (
  target: Target,
  callback: (...outcome: [error: null, socket: Socket] | [error: Error, socket: null]) => void,
) => void

const OPTIONS: OptionTable<Pick<PublicOnlyOptions, 'allow' | 'lookup'>> = {
  allow: checkedElsewhere,
  lookup: optional(aFunction),
}

/**
 * Like `publicOnly`, for undici and its `fetch`: a connector that refuses every address that is not public. Checks each
 * connection, so redirects are covered. Refuses Unix sockets and proxies.
 *
 * @param buildConnector The export of your undici. To set its options, such as `ca` or `timeout`, wrap it in a
 * function.
 *
 * @example
 * ```ts no-check
 * import { Agent, buildConnector, fetch } from 'undici'
 * const dispatcher = new Agent({ connect: publicConnector(buildConnector) })
 * await fetch(url, { dispatcher })
 * ```
 *
 * @throws ListenerConfigError for unknown or invalid options.
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
    const refusal = indirect ? addressRefused(indirect) : guard.refusalOf(target.hostname)
    return refusal === undefined ? connect(target, callback) : callback(refusal, null)
  }
}
