import http from 'node:http'
import https from 'node:https'
import { type LookupFunction, type NetConnectOpts, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ListenerConfigError } from '../src/errors.ts'
import { aFunction, checkedElsewhere, checkOptions, type OptionTable, optional } from '../src/lib/options.ts'
import { type AddressGuard, addressGuard, addressRefused } from './address-guard.ts'

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
  const judge = addressGuard(allow, lookup)
  if (ca !== undefined && !(typeof ca === 'string' || Array.isArray(ca))) {
    throw new ListenerConfigError('ca', 'must be PEM, or a list of PEM strings')
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
    ? (options) => connect(options as NetConnectOpts) // an agent always passes a host and a port
    : agent.createConnection.bind(agent)
  agent.createConnection = (options, callback) => {
    const refusal = options.socketPath
      ? addressRefused('a Unix socket')
      : refusalOf(String(options.host ?? ''))
    if (refusal === undefined) return open({ ...options, lookup }, callback)
    callback?.(refusal, new Socket())
    return undefined
  }
  return agent
}
