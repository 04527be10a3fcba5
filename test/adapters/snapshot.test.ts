import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { WebhookEvent } from '../../src/index.ts'
import type { KeySet } from '../../src/jwt.ts'
import { exchange, toBytes } from '../support/raw-http.ts'
import { jwtEndpoint, sentHeader } from '../support/sender.ts'
import { serve } from '../support/servers.ts'
import { MOUNTED } from './mounted.ts'

const OTHER_ID = '11111111-1111-4111-8111-111111111111'

/** Changes that a later middleware or a host may make to a request while its keys are being fetched. */
function tamperWith(request: IncomingMessage): void {
  request.method = 'PUT'
  request.url = '/elsewhere'
  for (const [index, value] of request.rawHeaders.entries()) {
    if (index % 2 === 1) request.rawHeaders[index] = value.length === 36 ? OTHER_ID : 'tampered'
  }
  Object.assign(request.headers, {
    'webhook-event-id': OTHER_ID,
    'webhook-timestamp': '0',
    authorization: '',
  })
  Object.assign(request, {
    body: Buffer.from('{"tampered":true}'),
    rawBody: Buffer.from('{"tampered":true}'),
  })
}

describe.each(Object.entries(MOUNTED))(
  'a request that is changed while it is verified, on %s',
  (_, mount) => {
    it('the request is judged as it was, and handed on as it was', async () => {
      let current: IncomingMessage | undefined
      const slowly = (keys: KeySet): KeySet => ({
        async find(...wanted) {
          if (current) tamperWith(current)
          await new Promise((resolve) => setImmediate(resolve))
          return keys.find(...wanted)
        },
      })
      const endpoint = await jwtEndpoint({}, slowly)
      const events: WebhookEvent[] = []
      const app = await mount(endpoint.listener, async (event) => {
        events.push(event)
        return 200
      })
      const { address } = await serve((request, response) => {
        current = request
        app(request, response)
      })
      const sent = await endpoint.request()
      const eventId = sentHeader(sent, 'webhook-event-id')
      expect((await exchange(address, toBytes(sent)))?.status).toBe(200)
      expect(current?.headers['webhook-event-id']).toBe(OTHER_ID)
      expect(events).toMatchObject([{ id: eventId, payload: { a: 1 }, auth: { claims: { jti: eventId } } }])
      expect(Buffer.from(events[0]?.rawBody ?? []).toString()).toBe('{"a":1}')
      await endpoint.calls.reaches(2)
      expect(endpoint.calls.entries).toEqual([`claim ${eventId}`, `commit ${eventId}`])
    })
  },
)
