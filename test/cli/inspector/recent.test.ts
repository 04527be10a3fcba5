import { expect, it } from 'vitest'
import { type Observed, observedBefore } from '../../../cli/inspector/inspected.ts'
import { RecentDeliveries } from '../../../cli/inspector/recent.ts'

const MB = 2 ** 20

function delivery(seq: number, bodyBytes = 0): Observed {
  return observedBefore({
    seq,
    time: '2026-11-22T12:00:00.000Z',
    listener: 'demo',
    method: 'POST',
    path: '/',
    sourceIp: null,
    headers: [['x-a', 'b']],
    body: new Uint8Array(bodyBytes),
    bytes: bodyBytes,
    truncated: false,
    verdict: 'accepted',
    reason: null,
    detail: null,
    status: 200,
    eventId: null,
    eventType: null,
    unsigned: [],
    replayOf: null,
    ms: { receive: null, decide: null, app: null, total: 1 },
    app: null,
  })
}

const seqs = (kept: RecentDeliveries) => kept.all().map(({ seq }) => seq)

it('the record keeps the latest deliveries, up to the configured number', () => {
  const kept = new RecentDeliveries(3)
  for (let seq = 1; seq <= 5; seq += 1) kept.add(delivery(seq))
  expect(seqs(kept)).toEqual([3, 4, 5])
  expect(kept.get(2)).toBe(undefined)
})

it('the record keeps at most 16 MB, however many deliveries that is, and always the latest', () => {
  const kept = new RecentDeliveries(100)
  for (let seq = 1; seq <= 10; seq += 1) kept.add(delivery(seq, 3.9 * MB))
  expect(seqs(kept)).toEqual([7, 8, 9, 10])
  expect(kept.bytes).toBeLessThanOrEqual(16 * MB)
  kept.add(delivery(11, 20 * MB))
  expect(seqs(kept)).toEqual([11])
})

it('the record takes no more memory after 100,000 deliveries than after 200', () => {
  const kept = new RecentDeliveries(200)
  for (let seq = 1; seq <= 200; seq += 1) kept.add(delivery(seq, 1_000))
  const { bytes } = kept
  for (let seq = 201; seq <= 100_000; seq += 1) kept.add(delivery(seq, 1_000))
  expect(kept.bytes).toBe(bytes)
})
