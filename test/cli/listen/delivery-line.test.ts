import { expect, onTestFinished, test, vi } from 'vitest'
import type { DeliveryLine } from '../../../cli/listen/report.ts'
import { formatDelivery, headerLine } from '../../../cli/listen/terminal.ts'
import { STATUS } from '../../../src/reason.ts'

const LINE: DeliveryLine = {
  time: '2026-11-22T17:04:59.120Z',
  listener: 'demo',
  eventId: '7d444840-9dc0-4c1d-8d7e-1f5a8f5b2b6a',
  eventType: null,
  unsigned: [],
  verdict: 'accepted',
  reason: null,
  status: 200,
  ms: 3.2,
}

const OWN = { columns: 80, hasTypes: false }
const STRIPE = { columns: 80, hasTypes: true }
const PAID = { ...LINE, eventId: 'evt_1NG8Du2eZvKYlo2CUI79vXWy', eventType: 'invoice.paid' }

test('a line aligns with its header', () => {
  expect([headerLine(OWN), formatDelivery(LINE, OWN)]).toEqual([
    'TIME UTC         MS RESULT             EVENT',
    '17:04:59 200    3.2 accepted           7d444840-9dc0-4c1d-8d7e-1f5a8f5b2b6a',
  ])
  expect([headerLine(STRIPE), formatDelivery(PAID, STRIPE)]).toEqual([
    'TIME UTC         MS RESULT             TYPE                 EVENT',
    '17:04:59 200    3.2 accepted           invoice.paid         evt_1NG8Du…CUI79vXWy',
  ])
})

test.each([60, 80, 120])(
  'each column begins at the same place in %d columns, whatever the result',
  (columns) => {
    const layout = { columns, hasTypes: true }
    const header = headerLine(layout)
    for (const reason of Object.keys(STATUS)) {
      const line = formatDelivery({ ...PAID, eventType: null, verdict: 'refused', reason }, layout)
      expect(line.indexOf(reason)).toBe(header.indexOf('RESULT'))
      expect(line.indexOf('evt_'), line).toBe(header.indexOf('EVENT'))
      const isLong = reason.length > 'signature_mismatch'.length
      if (!isLong) expect(line.indexOf('- '), line).toBe(header.indexOf('TYPE'))
    }
  },
)

test('an event without a type shows a dash, and an ID that nothing signs is marked', () => {
  const line = formatDelivery({ ...LINE, eventId: 'delivery-1', unsigned: ['id'] }, STRIPE)
  expect(line).toMatch(/ accepted +- +delivery-1\*$/)
})

test.each<[string, Partial<DeliveryLine>, string]>([
  ['done', {}, 'green'],
  ['released by a redirect', { status: 302 }, 'yellow'],
  ["the app's 400", { status: 400 }, 'red'],
  ["the app's 500", { status: 500 }, 'red'],
  ['an app that is down', { status: 503, reason: 'upstream_unreachable' }, 'red'],
  ['a sender that left', { status: null }, 'red'],
  ['a duplicate', { status: 409, verdict: 'refused', reason: 'event_duplicate' }, 'none'],
  ['in progress', { status: 503, verdict: 'refused', reason: 'event_in_progress' }, 'yellow'],
  ['a wrong signature', { status: 401, verdict: 'refused', reason: 'signature_mismatch' }, 'red'],
  ['undecided', { status: 503, verdict: 'undecided', reason: 'unavailable' }, 'yellow'],
  ['a handshake', { verdict: 'handshake' }, 'gray'],
  ['a refused handshake', { verdict: 'handshake', status: 403 }, 'red'],
])('%s has its colour', (_, changes, color) => {
  vi.stubEnv('FORCE_COLOR', '1')
  onTestFinished(() => void vi.unstubAllEnvs())
  const codes: { readonly [code: string]: string } = { 31: 'red', 32: 'green', 33: 'yellow', 90: 'gray' }
  const line = formatDelivery({ ...LINE, ...changes }, OWN)
  const [, code = ''] = line.split('\u001b[').map((part) => /^[0-9]+/.exec(part)?.[0] ?? '')
  expect(codes[code] ?? 'none').toBe(color)
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
])('%o fits any terminal, and nothing wraps', (changes) => {
  for (const columns of [40, 50, 60, 80, 200]) {
    for (const hasTypes of [true, false]) {
      const line = formatDelivery({ ...PAID, ...changes }, { columns, hasTypes })
      expect(line.length, line).toBeLessThanOrEqual(columns)
    }
  }
})

test('a long event ID keeps both ends', () => {
  const line = formatDelivery({ ...LINE, eventId: `evt_${'x'.repeat(60)}_end` }, OWN)
  expect(line).toBe('17:04:59 200    3.2 accepted           evt_xxxxxxxxxxxxxxxx…xxxxxxxxxxxxxxxx_end')
})

test('an answer of the app that is no 2xx, such as a redirect, does not look like success', () => {
  expect(formatDelivery({ ...LINE, status: 302 }, OWN)).toMatch(/ accepted, app 302 /)
  expect(formatDelivery({ ...LINE, status: 204 }, OWN)).toMatch(/ accepted {2}/)
})

test("a sender's event ID cannot move the cursor", () => {
  expect(formatDelivery({ ...LINE, eventId: 'evt_\u001b[2J' }, OWN)).not.toContain('\u001b')
})
