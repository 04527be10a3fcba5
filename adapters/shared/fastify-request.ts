import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Attempt } from '../../src/checks/check.ts'
import type { Reply } from './reply.ts'
import { behindProxies } from './trusted-proxies.ts'

export const CHECKED: unique symbol = Symbol('hookgate')

/** A request whose event is still to be claimed. Not declared on FastifyRequest: applications need not see the symbol. */
export interface GuardedRequest extends FastifyRequest {
  [CHECKED]?: Attempt
}

/** Finds the source by the given proxies, or by Fastify's own setting. */
export function sourceFinder(
  trustedProxies: readonly string[] | undefined,
): (request: FastifyRequest) => string | undefined {
  const findSource = behindProxies(trustedProxies)
  return (request) => (findSource ? findSource(request.raw) : request.ip)
}

/** Sends bytes, because Fastify adds a charset to the type of a text. */
export function sendReply(reply: FastifyReply, { status, headers, body }: Reply): void {
  reply.code(status).headers(headers).send(Buffer.from(body))
}
