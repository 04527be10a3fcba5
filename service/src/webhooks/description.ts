import { z } from '@hono/zod-openapi'
import type { Reason } from 'hookgate'
import { problemSchema } from '../http/problem.ts'
import type { Router } from '../http/router.ts'

const EXAMPLES = ['timestamp_out_of_range', 'source_ip_not_allowed', 'event_duplicate'] satisfies Reason[]

/**
 * hookgate's own refusals show only a code. Those of this service, which only authenticated senders see, have a
 * `detail`.
 */
const problem = problemSchema
  .omit({ errors: true })
  .partial({ detail: true })
  .extend({ code: z.string().openapi({ examples: EXAMPLES }) })

const refusal = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: problem } },
})

const acceptedSchema = z
  .object({ runId: z.string() })
  .openapi('AcceptedWebhook', { description: 'The specification does not define this body.' })

const headers = z.object({
  'Webhook-Timestamp': z.string().openapi({ description: 'Unix time in seconds, within 5 minutes of now.' }),
  'Webhook-Event-Id': z
    .uuidv4()
    .openapi({ description: 'New for each event, the same for each of its attempts.' }),
  'Webhook-Signature': z
    .string()
    .optional()
    .openapi({ description: 'HMAC: base64url of HMAC-SHA256 over `<timestamp>.<event_id>.<body>`.' }),
})

const request = {
  params: z.object({ listener_id: z.string() }),
  headers,
  body: { required: true, content: { 'application/json': { schema: z.unknown() } } },
}

const responses = {
  200: {
    description: 'Accepted: the event and its run are committed.',
    content: { 'application/json': { schema: acceptedSchema } },
  },
  400: refusal('The headers, timestamp, event ID, size or JSON are invalid. See `code`.'),
  401: refusal('`unauthorized`'),
  403: refusal('`source_ip_not_allowed`'),
  404: refusal('`listener_unknown`'),
  405: refusal('`method_not_allowed`: only POST, as `Allow` says.'),
  409: refusal('`event_duplicate`: accepted before.'),
  503: refusal(
    '`automation_not_running`, `unavailable`: not recorded. `event_in_progress`: another delivery of it is being ' +
      'accepted. Send it again after `Retry-After`.',
  ),
}

/** The endpoint in the OpenAPI document. Only described: hookgate judges the request, and no schema does so again. */
export function describeWebhooks({ openAPIRegistry }: Router): void {
  openAPIRegistry.registerPath({
    method: 'post',
    path: '/api/v1/webhooks/incoming/{listener_id}',
    operationId: 'receiveWebhook',
    summary: 'Trigger the automation of a listener, once for each event',
    description:
      'Authenticated by HMAC (`Webhook-Signature`) or by JWT (`Authorization: Bearer <JWT>`, signed with a key of the JWKS ' +
      'and bound to this request), as the listener says. Any valid JSON, at most 64 KB.',
    tags: ['Webhooks'],
    security: [], // neither of the main API's: a scheme of its own would be a third (specification, 5.1)
    request,
    responses,
  })
}
