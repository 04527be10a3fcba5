import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { observe } from '../../../cli/inspector/inspected.ts'
import type { DeliveryReport } from '../../../cli/listen/report.ts'
import { formatDelivery } from '../../../cli/listen/terminal.ts'
import { serveWebhooks } from '../../../cli/listen/webhook-server.ts'
import { defineListener, hmac } from '../../../src/index.ts'
import { memoryStore } from '../../../src/stores/memory.ts'
import { signHmac } from '../../../src/testing/index.ts'
import { SECRET } from '../support.ts'

test('an error of listen itself does not look as if the app had answered 500', async () => {
  const server = createServer()
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const listener = defineListener({ id: 'demo', auth: hmac({ secrets: SECRET }), store: memoryStore() })
  const answerEvent = () => Promise.reject(new Error('a fault'))
  const reported = new Promise<DeliveryReport>((onDelivery) => {
    serveWebhooks(server, { listener, answerEvent, onDelivery })
  })
  const { port } = server.address() as AddressInfo // a TCP server has a port
  const answer = await fetch(`http://127.0.0.1:${port}/`, await signHmac({ secret: SECRET, body: '{}' }))
  expect([answer.status, await answer.json()]).toMatchObject([500, { code: 'internal' }])
  const report = await reported
  expect(report.line).toMatchObject({ verdict: 'accepted', reason: 'internal', status: 500 })
  const line = formatDelivery(report.line, { columns: 80, hasTypes: false })
  expect(line).toMatch(/ 500 .* internal /)
  expect(line).not.toMatch(/app/)
  expect(observe(report, 1, null).inspect().detail).toBe('listen failed: see what it printed')
})
