import dns from 'node:dns'
import http from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction, type NetConnectOpts, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { CodedError, ListenerConfigError } from '../errors.ts'
import { type AddressMatcher, compileCidrs } from '../lib/cidr.ts'
import { aFunction, checkedElsewhere, checkOptions, type OptionTable, optional } from '../lib/options.ts'
import { hostOf, isPublicIp } from './public-address.ts'

/** The endpoint is, or resolves to, an address that is not on the public internet. */
export class AddressRefusedError extends CodedError<'ERR_ADDRESS_REFUSED'> {
  constructor(address: string) {
    const problem = `is at ${address}, which is not on the public internet`
    super('AddressRefusedError', 'ERR_ADDRESS_REFUSED', problem)
  }
}

/** Opens a connection to a checked address, or to a name that it looks up with `options.lookup`. */
export type Connect = (options: NetConnectOpts) => Duplex

/** The options of `publicOnly`. */
export interface PublicOnlyOptions {
  /** Additional networks to allow, e.g. `['10.20.0.0/16']` for your own endpoints. */
  readonly allow?: readonly string[] | undefined
  /** Resolves names. Defaults to the system's resolver. */
  readonly lookup?: LookupFunction | undefined
  /** The certificates to trust instead of Node's own, as PEM. */
  readonly ca?: string | readonly string[] | undefined
  /** Opens connections. Defaults to `node:net`, and `node:tls` for `https:`. Tests replace it. */
  readonly connect?: Connect | undefined
}

/** Agents for `node:http` and `node:https` that connect only to public addresses. */
export interface PublicAgents {
  /** The agent for `http:` URLs. */
  readonly http: http.Agent
  /** The agent for `https:` URLs. */
  readonly https: https.Agent
}

const OPTIONS: OptionTable<PublicOnlyOptions> = {
  allow: checkedElsewhere,
  lookup: optional(aFunction),
  ca: checkedElsewhere,
  connect: optional(aFunction),
}

/**
 * Makes agents that refuse every address that is not public. Checks an address in a URL before connecting. Looks up a
 * name once, checks all its addresses, and connects to one of them, so DNS rebinding has no effect. A single refused
 * address refuses the name.
 *
 * Connections are not kept alive, so each request is checked. `HTTP_PROXY` is ignored, because a proxy would look up
 * names by itself. Ports are not checked. Unix sockets are refused.
 *
 * @example
 * ```ts
 * const agents = publicOnly({ allow: ['10.20.0.0/16'] }) // your own endpoints
 * await deliver(endpoint, event, { agents })
 * ```
 *
 * @throws ListenerConfigError for unknown or invalid options.
 */
export function publicOnly(options: PublicOnlyOptions = {}): PublicAgents {
  checkOptions('publicOnly', options, OPTIONS)
  const { allow, lookup, ca, connect } = options
  const guard = addressGuard(allow, lookup)
  if (ca !== undefined && !(typeof ca === 'string' || Array.isArray(ca))) {
    throw new ListenerConfigError('ca', 'must be PEM, or a list of PEM strings')
  }
  const trusted = ca === undefined ? {} : { ca: typeof ca === 'string' ? ca : [...ca] }
  return {
    http: guarded(new http.Agent({ keepAlive: false }), guard, connect),
    https: guarded(new https.Agent({ keepAlive: false, ...trusted }), guard, connect),
  }
}

function guarded<Agent extends http.Agent>(
  agent: Agent,
  { lookup, refusalOf }: AddressGuard,
  connect: Connect | undefined,
): Agent {
  const open: http.Agent['createConnection'] = connect
    ? (options) => connect(options as NetConnectOpts) // an agent always passes a host and a port
    : agent.createConnection.bind(agent)
  agent.createConnection = (options, callback) => {
    const refusal = options.socketPath
      ? new AddressRefusedError('a Unix socket')
      : refusalOf(String(options.host ?? ''))
    if (refusal === undefined) return open({ ...options, lookup }, callback)
    callback?.(refusal, new Socket())
    return undefined
  }
  return agent
}

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

const CONNECTOR_OPTIONS: OptionTable<Pick<PublicOnlyOptions, 'allow' | 'lookup'>> = {
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
  checkOptions('publicConnector', options, CONNECTOR_OPTIONS)
  const guard = addressGuard(options.allow, options.lookup)
  const connect = buildConnector({ lookup: guard.lookup })
  return (target, callback) => {
    const indirect = target.socketPath ? 'a Unix socket' : target.httpSocket && 'the far end of a proxy'
    const refusal = indirect ? new AddressRefusedError(indirect) : guard.refusalOf(target.hostname)
    return refusal === undefined ? connect(target, callback) : callback(refusal, null)
  }
}

/** Decides which addresses may be connected to. */
interface AddressGuard {
  /**
   * Returns an error if the host is an address that is not allowed, in any notation that a URL parser gives. Names
   * pass.
   */
  refusalOf(host: string): AddressRefusedError | undefined
  /** Looks up a name. Fails unless all its addresses are allowed. */
  readonly lookup: LookupFunction
}

/** @throws ListenerConfigError for malformed networks. */
function addressGuard(
  allow: readonly string[] | undefined,
  lookup: LookupFunction = dns.lookup,
): AddressGuard {
  const isListed: AddressMatcher = allow === undefined ? () => false : compileCidrs(allow, 'allow')
  const isAllowed: AddressMatcher = (address) => isPublicIp(address) || isListed(address)
  return {
    refusalOf(hostname) {
      const host = hostOf(hostname)
      return isIP(host) !== 0 && !isAllowed(host) ? new AddressRefusedError(host) : undefined
    },
    lookup: guardedLookup(lookup, isAllowed),
  }
}

function guardedLookup(lookup: LookupFunction, isAllowed: AddressMatcher): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '')
      const addresses = Array.isArray(found) ? found : [{ address: found, family: isIP(found) }]
      const [first] = addresses
      const stray = addresses.find(({ address }) => !isAllowed(address))
      if (first === undefined || stray)
        return callback(new AddressRefusedError(stray?.address ?? 'no address'), '')
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family)
    })
  }
}
