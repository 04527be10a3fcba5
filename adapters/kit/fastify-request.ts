import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Listener } from '../../src/listener.ts'
import { trustsEveryProxy } from './set-up-errors.ts'
import { behindProxies } from './trusted-proxies.ts'

/** Finds the source address by `trustedProxies`, or by Fastify's `trustProxy` setting. */
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

/** Documentation addresses (IPv4 and IPv6), in chains longer than any real one. */
const MADE_UP_CHAINS: readonly (readonly string[])[] = [
  ['192.0.2.1', '198.51.100.1', '203.0.113.1'],
  ['2001:db8::1', '3fff::1'],
].map((strangers) => Array.from({ length: 16 }, () => strangers).flat())

/** Whether Fastify trusts a whole chain of proxies. Its trust function is private, so probe `ip` on a fake request. */
function isBelieved(chain: readonly string[], request: FastifyRequest): boolean {
  const farEnd = '192.0.2.2'
  const headers = { 'x-forwarded-for': [farEnd, ...chain].join(', ') }
  const raw = { headers, socket: { remoteAddress: chain[0] } }
  return Reflect.get(Object.create(request, { raw: { value: raw } }), 'ip') === farEnd
}

/** Whether this scope has nested scopes. Fastify has no public list of them. */
export function hasScopesInside(scope: FastifyInstance): boolean {
  const key = Object.getOwnPropertySymbols(scope).find(
    ({ description }) => description === 'fastify.children',
  )
  return key !== undefined && Object(Reflect.get(scope, key)).length > 0
}
