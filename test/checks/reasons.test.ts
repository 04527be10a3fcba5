import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { type Reason, verify } from '../../src/index.ts'
import { github } from '../../src/schemes/github.ts'
import { standardWebhooks } from '../../src/schemes/standard-webhooks.ts'
import { es256Listener } from '../support/es256-listener.ts'
import { hmacListener, withHeaders } from '../support/hmac-listener.ts'
import { acceptedEvent, inWords } from '../support/outcome.ts'

type Headers = Parameters<typeof withHeaders>[1]

async function withThese(headers: Headers): Promise<string> {
  const { listener, deliver } = hmacListener()
  return inWords(await verify(withHeaders(await deliver(), headers), listener))
}

async function withBody(body: string): Promise<string> {
  const { listener, deliver } = hmacListener({ maxBodyBytes: 20 })
  return inWords(await verify(await deliver({ body }), listener))
}

async function withExpiry(seconds: number): Promise<string> {
  const { listener, deliver, clock } = await es256Listener()
  return inWords(await verify(await deliver({ claims: { exp: clock.seconds() + seconds } }), listener))
}

/** The second verdict on a delivery, after the first was accepted and, if wanted, committed. */
async function secondTime(committed: boolean): Promise<string> {
  const { listener, deliver } = hmacListener()
  const delivery = await deliver()
  const event = await acceptedEvent(delivery, listener)
  if (committed) await event.commit()
  return inWords(await verify(delivery, listener))
}

const hmacOf = (key: Buffer, text: string) => createHmac('sha256', key).update(text)

/** A delivery of GitHub, which also sends forms. */
async function fromGithub(body: string, contentType: string): Promise<string> {
  const { listener } = hmacListener({ auth: github({ secrets: 'It is a secret' }) })
  const headers: { [name: string]: string } = {
    'content-type': contentType,
    'x-hub-signature-256': `sha256=${hmacOf(Buffer.from('It is a secret'), body).digest('hex')}`,
  }
  const delivery = { method: 'POST', header: (name: string) => headers[name], sourceIp: undefined }
  return inWords(await verify({ ...delivery, body: Buffer.from(body) }, listener))
}

/** A delivery of Standard Webhooks, which signs its IDs. */
async function withSignedId(id: string): Promise<string> {
  const key = Buffer.alloc(32, 'k')
  const { listener, clock } = hmacListener({
    auth: standardWebhooks({ secrets: `whsec_${key.toString('base64')}` }),
  })
  const headers: { [name: string]: string } = {
    'webhook-id': id,
    'webhook-timestamp': `${clock.seconds()}`,
    'webhook-signature': `v1,${hmacOf(key, `${id}.${clock.seconds()}.{}`).digest('base64')}`,
  }
  const delivery = { method: 'POST', header: (name: string) => headers[name], sourceIp: undefined }
  return inWords(await verify({ ...delivery, body: Buffer.from('{}') }, listener))
}

/** A way to each reason. A reason without one does not compile. Only adapters give `body_incomplete`. */
const WAYS: { readonly [R in Exclude<Reason, 'body_incomplete'>]: readonly [number, () => Promise<string>] } =
  {
    body_too_large: [400, () => withBody('"over twenty bytes long"')],
    method_not_post: [
      400,
      async () => {
        const { listener, deliver } = hmacListener()
        return inWords(await verify({ ...(await deliver()), method: 'GET' }, listener))
      },
    ],
    header_missing: [400, () => withThese({ 'webhook-timestamp': undefined })],
    header_repeated: [400, () => withThese({ 'webhook-event-id': ['a', 'b'] })],
    content_type_not_json: [400, () => withThese({ 'content-type': 'text/html' })],
    content_type_not_accepted: [400, () => fromGithub('{}', 'text/html')],
    content_encoding_not_identity: [400, () => withThese({ 'content-encoding': 'br' })],
    body_not_json: [400, () => withBody('{')],
    body_malformed: [400, () => fromGithub('payload=%', 'application/x-www-form-urlencoded')],
    event_id_malformed: [400, () => withSignedId('msg.1')],
    timestamp_malformed: [400, () => withThese({ 'webhook-timestamp': 'now' })],
    timestamp_out_of_range: [400, () => withThese({ 'webhook-timestamp': '1' })],
    event_id_not_uuid_v4: [400, () => withThese({ 'webhook-event-id': '1' })],
    source_ip_not_allowed: [
      403,
      async () => {
        const { listener, deliver } = hmacListener({ allowedCidrs: ['10.0.0.0/8'] })
        return inWords(await verify(await deliver({ sourceIp: '192.0.2.1' }), listener))
      },
    ],
    auth_missing: [401, () => withThese({ 'webhook-signature': undefined })],
    signature_mismatch: [401, () => withThese({ 'webhook-signature': 'A'.repeat(43) })],
    token_invalid: [401, () => withExpiry(601)],
    token_expired: [401, () => withExpiry(0)],
    payload_invalid: [
      400,
      async () => {
        const { listener, deliver } = hmacListener({ payload: z.string() })
        return inWords(await verify(await deliver(), listener))
      },
    ],
    event_duplicate: [409, () => secondTime(true)],
    event_in_progress: [503, () => secondTime(false)],
  }

it.each(Object.entries(WAYS))(
  '%s can be reached, and has the status of the specification',
  async (reason, [status, reach]) => {
    expect(await reach()).toBe(`${status} ${reason}`)
  },
)
