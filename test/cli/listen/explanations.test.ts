import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { beyondDetail, withExplanation } from '../../../cli/listen/explanations.ts'
import type { DeliveryReport } from '../../../cli/listen/report.ts'
import { type Delivery, defineListener, verify } from '../../../src/index.ts'
import { stripe } from '../../../src/schemes/stripe.ts'
import { memoryStore } from '../../../src/stores/memory.ts'

const LISTENER = defineListener({
  id: 'demo',
  auth: stripe({ secrets: 'whsec_of_this_test' }),
  store: memoryStore({ maxRecords: 1 }),
})

/** A delivery with another sender's signature. */
async function refused(): Promise<DeliveryReport> {
  const headers: { readonly [name: string]: string } = {
    'content-type': 'application/json',
    'stripe-signature': `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}`,
  }
  const delivery: Delivery = {
    method: 'POST',
    header: (name) => headers[name],
    body: Buffer.from('{"id":"evt_1"}'),
    sourceIp: undefined,
  }
  const verdict = await verify(delivery, LISTENER)
  return {
    line: {
      time: '2026-11-22T17:04:59.120Z',
      listener: 'demo',
      eventId: null,
      eventType: null,
      unsigned: [],
      verdict: 'refused',
      reason: 'signature_mismatch',
      status: 401,
      ms: 1,
    },
    request: new IncomingMessage(new Socket()),
    delivery,
    verdict,
    app: undefined,
    receiveMs: 0,
    decideMs: 0,
  }
}

test.each([
  ['names the delivery that it explains if others came in between', 2, '  signature_mismatch of 17:04:59:\n'],
  ['follows its own line otherwise', 1, /^ {2}likely: /],
])('%s', async (_, deliveries, expected) => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  onTestFinished(() => write.mockRestore())
  const report = await refused()
  const authFor = () => LISTENER.auth
  const auth = { authFor, sendCommand: () => undefined, remark: '' }
  const listening = { given: { explain: true }, auth, listener: LISTENER, url: 'http://127.0.0.1/' }
  const tell = withExplanation(() => {}, listening)
  for (let sent = 0; sent < deliveries; sent += 1) tell(report)
  // The whole process writes there, and Node's warnings are not indented.
  const printed = () => write.mock.calls.map(([text]) => `${text}`).filter((line) => line.startsWith('  '))
  const isExplained = () => printed().some((line) => line.startsWith('  likely: '))
  await expect.poll(() => isExplained()).toBe(true)
  expect(printed()[0]).toEqual(expected instanceof RegExp ? expect.stringMatching(expected) : expected)
})

test('repeats nothing of the detail, which stands above it', () => {
  const detail = 'Content-Type is "text/xml", not application/json, in UTF-8: Zendesk sends XML'
  const likely = ['Zendesk sends XML', 'Content-Type is "text/xml", not application/json, in UTF-8', 'more']
  expect(beyondDetail({ checks: [], token: [], likely }, detail)).toEqual(['more'])
  expect(beyondDetail({ checks: [], token: [], likely }, null)).toEqual(likely)
})
