import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { forwarder } from '../../../cli/forward/forward.ts'
import type { Forwarding } from '../../../cli/forward/forward-options.ts'
import type { DeliveryReport } from '../../../cli/listen/report.ts'
import { serveWebhooks } from '../../../cli/listen/webhook-server.ts'
import { pathOf } from '../../../cli/signing/endpoint.ts'
import { type Authenticator, type Clock, defineListener, type EventStore, hmac } from '../../../src/index.ts'
import { memoryStore } from '../../../src/stores/memory.ts'
import { signHmac } from '../../../src/testing/index.ts'
import { SECRET } from '../support.ts'

/** The forward secret, and one of hookgate's own format. */
export const APP_SECRET: string = `whsec_${Buffer.from('the-app-0123456789-abcdefghijklmnopqrstuvwx').toString('base64')}`
export const PLAIN_SECRET = 'the-app-0123456789-abcdefghijklmnopqrstuvwx'

export interface Gateway {
  readonly url: string
  readonly reports: DeliveryReport[]
}

export interface GatewayOptions extends Partial<Omit<Forwarding, 'target'>> {
  readonly auth?: Authenticator
  readonly publicUrl?: string
  readonly listenerId?: string
  readonly clock?: Clock
  readonly store?: EventStore
}

/** Runs `hookgate listen --forward-to` in this process, until the test ends. */
export async function openGateway(appUrl: string, options: GatewayOptions = {}): Promise<Gateway> {
  const {
    auth = hmac({ secrets: { id: 'shop', secret: SECRET } }),
    publicUrl,
    listenerId = 'demo',
    clock = Date,
    store = memoryStore({ maxRecords: 10_000, clock }),
    ...forwarding
  } = options
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // only a pipe's address is a string
  const url = `http://127.0.0.1:${port}${pathOf(listenerId)}`
  const app = forwarder(
    {
      secret: undefined,
      format: 'standard-webhooks',
      passed: [],
      passesSenderHeaders: true,
      timeoutSeconds: 10,
      ...forwarding,
      target: new URL(appUrl),
    },
    new URL(publicUrl ?? url),
    auth.protocol?.scheme,
  )
  const reports: DeliveryReport[] = []
  serveWebhooks(server, {
    listener: defineListener({ id: listenerId, auth, clock, store }),
    answerEvent: app.answer,
    onDelivery: (report) => void reports.push(report),
  })
  onTestFinished(async () => {
    server.close()
    server.closeAllConnections()
    await app.close()
  })
  return { url, reports }
}

export interface Answer {
  readonly status: number
  readonly body: string
  readonly headers: Headers
}

/** Sends an event, with a new signature each time. */
export async function deliver(
  url: string,
  eventId: string = randomUUID(),
  body: string | Uint8Array<ArrayBuffer> = '{}',
): Promise<Answer> {
  const response = await fetch(url, await signHmac({ secret: SECRET, body, eventId }))
  return { status: response.status, body: await response.text(), headers: response.headers }
}
