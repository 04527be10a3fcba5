import type { Evidence } from '../auth/evidence.ts'
import { type Delivery, queryTextOf } from '../delivery.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import type { Reply } from '../reply.ts'
import type { SenderScheme } from './code-scheme.ts'
import type { HandshakeRequest } from './handshake.ts'
import type { SchemeOptions } from './scheme-options.ts'
import { signedRequest } from './signed-reader.ts'

/** Answers a scheme's handshakes. Undefined if the request is not a handshake. */
export function handshakeAnswerer(
  { handshake }: SenderScheme,
  options: SchemeOptions,
): (evidence: Evidence) => MaybePromise<{ readonly reply: Reply } | undefined> {
  return (evidence) =>
    whenKnown(handshake?.answer(handshakeRequest(evidence, options), options), (reply) => reply && { reply })
}

/** The parts of a request that a handshake may read. */
function handshakeRequest(evidence: Evidence, { publicUrl = '' }: SchemeOptions): HandshakeRequest {
  const { auth, delivery } = evidence
  const secretId = auth?.method === 'scheme' ? auth.secretId : undefined
  const request = { ...signedRequest(evidence, publicUrl), query: queryOf(delivery), secretId }
  return auth === undefined ? request : { ...request, payload: () => evidence.keepParsed() }
}

/** Reads query parameters. A repeated parameter is undefined. The rest of the URL is never read. */
export function queryOf(delivery: Delivery): HandshakeRequest['query'] {
  let members: URLSearchParams | undefined
  return (name) => {
    members ??= new URLSearchParams(`?${queryTextOf(delivery) ?? ''}`)
    const [value, another] = members.getAll(name)
    return another === undefined ? value : undefined
  }
}
