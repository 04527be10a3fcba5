import { expect, test } from 'vitest'
import type { DeliveryLine } from '../../../cli/listen/report.ts'
import { formatDelivery, HEADER } from '../../../cli/listen/terminal.ts'

const LINE: DeliveryLine = {
  time: '2026-11-22T17:04:59.120Z',
  listener: 'demo',
  eventId: '7d444840-9dc0-4c1d-8d7e-1f5a8f5b2b6a',
  verdict: 'accepted',
  reason: null,
  status: 200,
  ms: 3.2,
}

test('a line aligns with its header', () => {
  expect([HEADER, formatDelivery(LINE, false)]).toEqual([
    'TIME UTC         MS EVENT                                RESULT',
    '17:04:59 200    3.2 7d444840-9dc0-4c1d-8d7e-1f5a8f5b2b6a accepted',
  ])
})

test.each<Partial<DeliveryLine>>([
  {},
  { reason: 'timestamp_out_of_range', verdict: 'refused' },
  { reason: 'content_encoding_not_identity', verdict: 'refused', eventId: null },
  { reason: 'content_encoding_not_identity', verdict: 'refused' },
  { eventId: `evt_${'x'.repeat(252)}` },
  { ms: 999.9 },
  { ms: 1000 },
  { ms: 600_000, status: null },
])('%o fits 80 columns', (changes) => {
  expect(formatDelivery({ ...LINE, ...changes }, false).length).toBeLessThanOrEqual(80)
})

test('a long event ID keeps both ends', () => {
  const line = formatDelivery({ ...LINE, eventId: `evt_${'x'.repeat(60)}_end` }, false)
  expect(line).toBe('17:04:59 200    3.2 evt_xxxxxxxxxxxxxx…xxxxxxxxxxxxx_end accepted')
})

test("a sender's event ID cannot move the cursor", () => {
  expect(formatDelivery({ ...LINE, eventId: 'evt_\u001b[2J' }, false)).not.toContain('\u001b')
})

test('--json has every key, and the full time', () => {
  expect(JSON.parse(formatDelivery(LINE, true))).toEqual(LINE)
})
