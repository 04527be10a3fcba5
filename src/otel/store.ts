import type { Meter, Tracer } from '@opentelemetry/api'
import type { StoreFields } from '../report.ts'
import { DURATIONS } from './durations.ts'
import { spansOf } from './spans.ts'
import type { ChannelObserver } from './subscribe.ts'

/** Records the duration of each store call, counts lost leases, and creates a span for each claim. */
export function observeStore(meter: Meter, tracer: Tracer | undefined): ChannelObserver<StoreFields> {
  const duration = meter.createHistogram('hookgate.store.operation.duration', {
    ...DURATIONS,
    description: 'Time that the event store took for one call',
  })
  const lost = meter.createCounter('hookgate.lease.lost', {
    unit: '{event}',
    description: 'Events whose handler outlived its lease, so that another delivery ran it too',
  })
  const spans = spansOf(tracer)
  const startTimes = new WeakMap<object, number>()
  return {
    start(fields) {
      startTimes.set(fields, performance.now())
      if (fields.verb === 'claim') spans.start(fields, 'hookgate claim', {})
    },
    end(fields) {
      const { answer, error, listenerId, verb } = fields
      const labels = {
        'hookgate.store.verb': verb,
        ...(error ? { 'error.type': error.name } : { 'hookgate.store.answer': inWords(answer) }),
      }
      const startedAt = startTimes.get(fields)
      if (startedAt !== undefined) duration.record((performance.now() - startedAt) / 1000, labels)
      if (answer === 'lost') lost.add(1, { 'hookgate.listener.id': listenerId })
      spans.end(fields, { ...labels, 'hookgate.listener.id': listenerId })
    },
  }
}

/** `release` returns whether there was anything to release. */
function inWords(answer: StoreFields['answer']): string {
  if (typeof answer !== 'boolean') return answer ?? 'none'
  return answer ? 'released' : 'kept'
}
