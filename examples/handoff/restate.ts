import { createServer } from 'node:http2'
import * as restate from '@restatedev/restate-sdk'
import { connect, rpc } from '@restatedev/restate-sdk-clients'
import type { Listener } from 'hookgate'
import {
  type Envelope,
  fromEnvelope,
  type HandedOffEvent,
  jobId,
  toEnvelope,
} from 'hookgate/handoff'
import { webhookHandler } from 'hookgate/web'

const SERVICE = 'webhooks'

/** @param url Where the server takes requests, its port 8080 by default. */
export async function startReceiver(listener: Listener, url: string) {
  const client = connect({ url })
  const fetch = webhookHandler(listener, async (event) => {
    const opts = rpc.sendOpts<Envelope>({
      idempotencyKey: jobId(event),
      timeout: 2000,
    })
    await client.send({
      service: SERVICE,
      handler: 'work',
      parameter: toEnvelope(event),
      opts,
    })
  })
  return { fetch, stop: async () => {} }
}

/** @param adminUrl Where the server takes registrations, its port 9070 by default. */
export async function startWorker(
  adminUrl: string,
  work: (event: HandedOffEvent) => Promise<void>,
) {
  const service = restate.service({
    name: SERVICE,
    handlers: {
      work: (ctx: restate.Context, envelope: Envelope) =>
        ctx.run(() => work(fromEnvelope(envelope))),
    },
    options: { idempotencyRetention: { days: 7 } }, // as long as any sender retries: by default it is 1 day
  })
  const server = createServer(
    restate.createEndpointHandler({ services: [service] }),
  )
  await new Promise<void>((resolve) =>
    server.listen(0, '127.0.0.1', resolve),
  )
  await register(adminUrl, server.address())
  return { stop: async () => void server.close() }
}

/** Run it when you deploy. */
async function register(
  adminUrl: string,
  address: ReturnType<ReturnType<typeof createServer>['address']>,
) {
  if (address === null || typeof address === 'string')
    throw new Error('the worker has no port')
  const answer = await fetch(new URL('/deployments', adminUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri: `http://127.0.0.1:${address.port}` }),
  })
  if (!answer.ok)
    throw new Error(`the worker was not registered: ${answer.status}`)
}
