import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Listener } from '../../src/listener.ts'
import { trustsEveryProxy } from './set-up-errors.ts'
import { behindProxies } from './trusted-proxies.ts'

/** Finds the source by the given proxies, or by Fastify's own setting. */
export function sourceFinder(
  trustedProxies: readonly string[] | undefined,
): (request: FastifyRequest, listener: Listener<unknown>) => string | undefined {
  const findSource = behindProxies(trustedProxies)
  if (findSource) return (request) => findSource(request.raw)
  let isOpen: boolean | undefined
  return (request, listener) => {
    if (listener.isSourceAllowed) {
      isOpen ??= MADE_UP_CHAINS.some((chain) => isBelieved(chain, request))
      if (isOpen) throw trustsEveryProxy('trustProxy')
    }
    return request.ip
  }
}

/** Addresses for documentation, in IPv4 and in IPv6, and more of them than anybody has proxies. */
const MADE_UP_CHAINS: readonly (readonly string[])[] = [
  ['192.0.2.1', '198.51.100.1', '203.0.113.1'],
  ['2001:db8::1', '3fff::1'],
].map((strangers) => Array.from({ length: 16 }, () => strangers).flat())

/** Whether Fastify believes the far end of a chain. It keeps its trust to itself, so `ip` is asked about another request. */
function isBelieved(chain: readonly string[], request: FastifyRequest): boolean {
  const farEnd = '192.0.2.2'
  const headers = { 'x-forwarded-for': [farEnd, ...chain].join(', ') }
  const raw = { headers, socket: { remoteAddress: chain[0] } }
  return Reflect.get(Object.create(request, { raw: { value: raw } }), 'ip') === farEnd
}

/** Whether there is a scope inside this one already. Fastify has no public list of them. */
export function hasScopesInside(scope: FastifyInstance): boolean {
  const key = Object.getOwnPropertySymbols(scope).find(
    ({ description }) => description === 'fastify.children',
  )
  return key !== undefined && Object(Reflect.get(scope, key)).length > 0
}
