import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { expect, it, onTestFinished, vi } from 'vitest'
import { type EventStore, verify } from '../../src/index.ts'
import { instrument } from '../../src/otel/index.ts'
import { hmacListener } from '../support/hmac-listener.ts'
import { acceptedEvent } from '../support/outcome.ts'

/** An SDK, and the sums of its histograms in seconds, by name and verb. */
function sdk() {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })
  const provider = new MeterProvider({ readers: [reader] })
  onTestFinished(() => provider.shutdown())
  const sums = async () => {
    await provider.forceFlush()
    const metrics = exporter
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
    return metrics.flatMap(({ descriptor, dataPoints }) =>
      dataPoints.map(({ attributes, value }) => [
        `${descriptor.name} ${attributes['hookgate.store.verb'] ?? ''}`.trim(),
        Object(value).sum ?? value,
      ]),
    )
  }
  return { meter: provider.getMeter('test'), sums }
}

/** A store whose calls take this many milliseconds of the stopped clock. */
function slow(claimMs: number, commitMs: number): EventStore {
  const after = <Answer>(ms: number, answer: Answer) => {
    vi.advanceTimersByTime(ms)
    return answer
  }
  return {
    claim: async () => after(claimMs, 'acquired' as const),
    commit: async () => after(commitMs, 'committed' as const),
    release: () => true,
  }
}

it('durations are in seconds, from the start of a call to its end', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  vi.advanceTimersByTime(5000) // a process that has run for a while
  const { meter, sums } = sdk()
  const stop = instrument({ meter })
  onTestFinished(stop)
  const { listener, deliver } = hmacListener({ store: slow(250, 40) })
  const event = await acceptedEvent(await deliver(), listener)
  await event.commit()
  await verify({ ...(await deliver()), method: 'GET' }, listener)
  const measured = Object.fromEntries(await sums())
  expect(measured['hookgate.store.operation.duration claim']).toBeCloseTo(0.25, 6)
  expect(measured['hookgate.store.operation.duration commit']).toBeCloseTo(0.04, 6)
  expect(await sums()).toContainEqual(['hookgate.verify.duration', expect.closeTo(0.25, 6)])
})
