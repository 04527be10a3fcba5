import { ListenerConfigError } from '../errors.ts'
import { type Reason, type RejectedStatus, STATUS } from '../reason.ts'
import { bodyBytes } from '../signing/body.ts'
import type { SignedRequest } from '../signing/sign.ts'
import { EVENT_ID_HEADER, TIMESTAMP_HEADER } from '../specification.ts'
import { type RequestParts, WRONG_PARTS } from './wrong-parts.ts'
import { type MutatedRequest, WRONG_REQUESTS } from './wrong-requests.ts'
import { WRONG_MACS, WRONG_TOKENS } from './wrong-signatures.ts'

/** One way to corrupt a delivery, and how an endpoint must refuse it. */
export interface Mutation {
  /** What was changed. Use it as the name of a test. */
  readonly name: string
  /** Ready to send: `fetch(url, request)`. */
  readonly request: MutatedRequest
  /** The expected reason of the verdict. */
  readonly reason: Reason
  /** The expected status of the response. */
  readonly status: RejectedStatus
}

/**
 * Returns about fifty ways to corrupt a delivery from `signHmac` or `signJwt`, each with the expected reason
 * and status. An endpoint that answers 2xx to any of them is open to attack. None needs the secret; to test
 * deliveries that are wrongly signed, run `hookgate conform`.
 *
 * @example
 * ```ts
 * test.each(mutations(await signHmac({ secret, body })))('$name is refused', async ({ request, status }) => {
 *   expect((await app.request('/webhooks', request)).status).toBe(status)
 * })
 * ```
 *
 * @throws ListenerConfigError for a request from any other function.
 */
export function mutations(delivery: SignedRequest): readonly Mutation[] {
  const { [TIMESTAMP_HEADER]: timestamp, [EVENT_ID_HEADER]: eventId } = delivery?.headers ?? {}
  if (timestamp === undefined || eventId === undefined) {
    throw new ListenerConfigError('delivery', 'must be the result of signHmac() or signJwt(): await it')
  }
  const request: MutatedRequest = { ...delivery, body: bodyBytes(delivery.body) }
  const parts = { timestamp, eventId, body: request.body }
  const signatures = 'authorization' in delivery.headers ? WRONG_TOKENS : WRONG_MACS
  const wrongParts = WRONG_PARTS.map(({ change, ...part }) => ({
    ...part,
    change: () => withParts(request, change(parts)),
  }))
  return [...WRONG_REQUESTS, ...wrongParts, ...signatures].map(({ name, reason, change }) => ({
    name,
    request: change(request),
    reason,
    status: STATUS[reason],
  }))
}

function withParts(
  request: MutatedRequest,
  { timestamp, eventId, body = request.body }: Partial<RequestParts>,
): MutatedRequest {
  const headers = {
    ...request.headers,
    ...(timestamp === undefined ? {} : { [TIMESTAMP_HEADER]: timestamp }),
    ...(eventId === undefined ? {} : { [EVENT_ID_HEADER]: eventId }),
  }
  return { ...request, headers, body }
}
