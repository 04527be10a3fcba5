import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { expect, it, onTestFinished } from 'vitest'
import { instrument } from '../../src/otel/index.ts'

type Asked = readonly { readonly listener: string; readonly dueForMs: number }[]

/** An SDK that asks this inbox, and what the last collection has of it. */
function scene(oldest: () => Promise<Asked>) {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })
  const provider = new MeterProvider({ readers: [reader] })
  onTestFinished(() => provider.shutdown())
  const stop = instrument({ meter: provider.getMeter('test'), inbox: { oldest } })
  onTestFinished(stop)
  const collect = async () => {
    const { resourceMetrics } = await reader.collect()
    const found: { [listener: string]: unknown } = {}
    for (const { descriptor, dataPoints } of resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics)) {
      if (descriptor.name !== 'hookgate.inbox.oldest' || descriptor.unit !== 's') continue
      for (const { attributes, value } of dataPoints) found[`${attributes['hookgate.listener.id']}`] = value
    }
    return found
  }
  return { collect, stop }
}

it('a collection tells in seconds how long each listener’s oldest job has been due, and zero once it runs', async () => {
  let jobs: Asked = [
    { listener: 'stripe', dueForMs: 90_500 },
    { listener: 'github', dueForMs: 0.5 },
  ]
  const { collect } = scene(async () => jobs)
  expect(await collect()).toEqual({ stripe: 90.5, github: 0.0005 })
  jobs = [{ listener: 'github', dueForMs: 1000 }]
  expect(await collect()).toEqual({ stripe: 0, github: 1 })
  jobs = []
  expect(await collect()).toEqual({ stripe: 0, github: 0 })
})

it('while the database is away, a collection tells nothing of it, and all else', async () => {
  let isAway = true
  const { collect } = scene(() => {
    if (isAway) throw new Error('connect ECONNREFUSED')
    return Promise.resolve([{ listener: 'stripe', dueForMs: 1000 }])
  })
  expect(await collect()).toEqual({})
  isAway = false
  expect(await collect()).toEqual({ stripe: 1 })
})

it('a database that hangs is asked once, however often it is collected', async () => {
  let asked = 0
  let answer: (jobs: Asked) => void = () => {}
  const { collect } = scene(() => {
    asked += 1
    return new Promise((resolve) => {
      answer = resolve
    })
  })
  const collecting = [collect(), collect(), collect()]
  await expect.poll(() => asked).toBe(1)
  answer([{ listener: 'stripe', dueForMs: 1000 }])
  await Promise.all(collecting)
  expect(asked).toBe(1)
})

it('stopped, it asks no more', async () => {
  let asked = 0
  const { collect, stop } = scene(async () => {
    asked += 1
    return []
  })
  await collect()
  stop()
  await collect()
  expect(asked).toBe(1)
})

it('instrument() refuses what is no inbox', () => {
  expect(() => instrument({ inbox: {} as never })).toThrow(
    /^inbox: must have a method oldest\(\): try inbox\(client\)/,
  )
})
