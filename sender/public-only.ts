import http from 'node:http'
import https from 'node:https'
import { type LookupFunction, type NetConnectOpts, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ListenerConfigError } from '../src/errors.ts'
import { aFunction, checkedElsewhere, checkOptions, type OptionTable, optional } from '../src/lib/options.ts'
import { type AddressGuard, addressGuard, refused } from './address-guard.ts'

/**
 * Opens a connection to an address that was judged, or looks its name up with `options.lookup`.
 *
 * @see {@link publicOnly}
 */
export type Connect = (options: NetConnectOpts) => Duplex

/**
 * The options of `publicOnly`.
 *
 * @see {@link publicOnly}
 */
export interface PublicOnlyOptions {
  /** Networks to allow although they are not public, such as `['10.20.0.0/16']` for endpoints of your own. */
  readonly allow?: readonly string[] | undefined
  /** Resolves names. Default: the system's resolver. */
  readonly lookup?: LookupFunction | undefined
  /** Certificates to trust instead of Node's own, as PEM. */
  readonly ca?: string | readonly string[] | undefined
  /** Opens connections. Default: `node:net`, and `node:tls` for `https:`. Tests replace it. */
  readonly connect?: Connect | undefined
}

/**
 * Agents for `node:http` and `node:https` that connect to public addresses only.
 *
 * @see {@link publicOnly}
 */
export interface PublicAgents {
  /** For `http:` URLs. */
  readonly http: http.Agent
  /** For `https:` URLs. */
  readonly https: https.Agent
}

const OPTIONS: OptionTable<PublicOnlyOptions> = {
  allow: checkedElsewhere,
  lookup: optional(aFunction),
  ca: checkedElsewhere,
  connect: optional(aFunction),
}

/**
 * Agents that refuse every address that is not public. An address in the URL is judged before the connection. A name is looked up
 * once, all its addresses are judged, and the connection goes to one of them: a second answer of the name server changes nothing.
 * One bad address among good ones refuses them all.
 *
 * Connections are not kept alive, so each request is judged. `HTTP_PROXY` is not used: a proxy would look names up by itself.
 * Ports are not judged. Unix sockets are refused.
 *
 * @example
 * ```ts
 * const agents = publicOnly({ allow: ['10.20.0.0/16'] }) // endpoints of your own
 * await deliver(endpoint, event, { agents })
 * ```
 *
 * @throws ListenerConfigError for unknown or wrong options.
 */
export function publicOnly(options: PublicOnlyOptions = {}): PublicAgents {
  checkOptions('publicOnly', options, OPTIONS)
  const { allow, lookup, ca, connect } = options
  const judge = addressGuard(allow, lookup)
  if (ca !== undefined && !(typeof ca === 'string' || Array.isArray(ca))) {
    throw new ListenerConfigError('ca', 'must be PEM text, or a list of such texts')
  }
  const trusted = ca === undefined ? {} : { ca: typeof ca === 'string' ? ca : [...ca] }
  return {
    http: guard(new http.Agent({ keepAlive: false }), judge, connect),
    https: guard(new https.Agent({ keepAlive: false, ...trusted }), judge, connect),
  }
}

function guard<Agent extends http.Agent>(
  agent: Agent,
  { lookup, refusalOf }: AddressGuard,
  connect: Connect | undefined,
): Agent {
  const open: http.Agent['createConnection'] = connect
    ? (options) => connect(options as NetConnectOpts) // what an agent hands over has a host and a port
    : agent.createConnection.bind(agent)
  agent.createConnection = (options, callback) => {
    const refusal = options.socketPath ? refused('a Unix socket') : refusalOf(String(options.host ?? ''))
    if (refusal === undefined) return open({ ...options, lookup }, callback)
    callback?.(refusal, new Socket())
    return undefined
  }
  return agent
}
