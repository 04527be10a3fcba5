import {
  type Attributes,
  type Meter,
  type Span,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { InboxFields, KeysFields, StoreFields, VerifyFields } from '../report.ts'
import type { ChannelObserver } from './subscribe.ts'

/** The options of all duration histograms. Store calls take from half a millisecond to the deadline. */
const DURATIONS: { readonly unit: 's'; readonly advice: { explicitBucketBoundaries: number[] } } = {
  unit: 's',
  advice: {
    explicitBucketBoundaries: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  },
}

/** Records each verdict: attributes on the active span, a count and a duration. */
export function observeVerdicts(meter: Meter): ChannelObserver<VerifyFields> {
  const duration = meter.createHistogram('hookgate.verify.duration', {
    ...DURATIONS,
    description: 'Time from the whole body to the verdict',
  })
  const deliveries = meter.createCounter('hookgate.deliveries', {
    unit: '{delivery}',
    description: 'Deliveries by verdict',
  })
  return {
    end(fields) {
      if (fields.outcome === 'checked') return // its verdict follows, as a second operation
      const labels: Attributes = {
        'hookgate.listener.id': fields.listenerId,
        'hookgate.outcome': fields.outcome,
        ...(fields.reason && { 'hookgate.reason': fields.reason }),
        ...(fields.enforced === false && { 'hookgate.enforced': false }),
      }
      deliveries.add(1, labels)
      duration.record(fields.durationMs / 1000, labels)
      const span = trace.getActiveSpan()
      // Beside an old check, the verdict mostly comes after the answer, and so after the end of the span.
      if (span?.isRecording()) span.setAttributes({ ...labels, ...detailsOf(fields) })
    },
  }
}

/** Attributes for spans only, not for metrics. */
function detailsOf({ auth, error, eventId, eventType }: VerifyFields): Attributes {
  return {
    ...(eventId && { 'hookgate.event.id': eventId }),
    ...(eventType && { 'hookgate.event.type': eventType }),
    ...(auth && { 'hookgate.auth.method': auth.method }),
    ...(auth?.keyId && { 'hookgate.auth.key_id': auth.keyId }),
    ...(auth?.scheme && { 'hookgate.auth.scheme': auth.scheme }),
    ...(error && { 'error.type': error.name }),
  }
}

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
        ...(error ? { 'error.type': error.name } : { 'hookgate.store.answer': inWords(verb, answer) }),
      }
      const startedAt = startTimes.get(fields)
      if (startedAt !== undefined) duration.record((performance.now() - startedAt) / 1000, labels)
      if (answer === 'lost') lost.add(1, { 'hookgate.listener.id': listenerId })
      spans.end(fields, { ...labels, 'hookgate.listener.id': listenerId })
    },
  }
}

/** `release` returns whether there was anything to release, and `renew` whether the lease was still held. */
function inWords(verb: StoreFields['verb'], answer: StoreFields['answer']): string {
  if (typeof answer !== 'boolean') return answer ?? 'none'
  if (verb === 'renew') return answer ? 'renewed' : 'lapsed'
  return answer ? 'released' : 'kept'
}

/** Runs of jobs take from milliseconds to minutes, and may wait for days. */
const LONG_DURATIONS: typeof DURATIONS = {
  unit: 's',
  advice: { explicitBucketBoundaries: [0.01, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14_400, 86_400] },
}

/** Counts what is put into an inbox and how its jobs end, and creates a span for each put and each run. */
export function observeInbox(meter: Meter, tracer: Tracer | undefined): ChannelObserver<InboxFields> {
  const events = meter.createCounter('hookgate.inbox.events', {
    unit: '{event}',
    description: 'Events put into an inbox, and attempts at them by what became of them',
  })
  const duration = meter.createHistogram('hookgate.inbox.run.duration', {
    ...LONG_DURATIONS,
    description: 'Time that an attempt took',
  })
  const wait = meter.createHistogram('hookgate.inbox.wait.duration', {
    ...LONG_DURATIONS,
    description: 'Time from the put to the first attempt',
  })
  const spans = spansOf(tracer)
  const startTimes = new WeakMap<object, number>()
  return {
    start(fields) {
      startTimes.set(fields, performance.now())
      spans.start(fields, `hookgate inbox ${fields.verb}`, {})
    },
    end(fields) {
      const { answer, attempt, error, listenerId, verb, waitedMs } = fields
      const labels = {
        'hookgate.listener.id': listenerId,
        'hookgate.inbox.verb': verb,
        ...(error ? { 'error.type': error.name } : { 'hookgate.inbox.answer': answer ?? 'none' }),
      }
      events.add(1, labels)
      const startedAt = startTimes.get(fields)
      if (verb === 'run' && startedAt !== undefined)
        duration.record((performance.now() - startedAt) / 1000, labels)
      if (attempt === 1 && waitedMs !== undefined)
        wait.record(waitedMs / 1000, { 'hookgate.listener.id': listenerId })
      const attributes = { ...labels, ...(attempt !== undefined && { 'hookgate.inbox.attempt': attempt }) }
      const isFailed = error !== undefined || (verb === 'run' && answer !== 'done')
      spans.end(fields, attributes, isFailed)
    },
  }
}

/** Creates a span for each fetch of a key set. */
export function observeKeys(tracer: Tracer | undefined): ChannelObserver<KeysFields> {
  const spans = spansOf(tracer)
  return {
    start(fields) {
      spans.start(fields, 'hookgate fetch keys', {
        'url.full': fields.url,
        'hookgate.keys.trigger': fields.trigger,
      })
    },
    end(fields) {
      const { error, keys } = fields
      spans.end(fields, {
        ...(keys !== undefined && { 'hookgate.keys.count': keys }),
        ...(error && { 'error.type': error.name }),
      })
    },
  }
}

/** The spans of operations in flight, by the operation's fields object. Does nothing without a tracer. */
function spansOf(tracer: Tracer | undefined) {
  const open = new WeakMap<object, Span>()
  return {
    start(fields: object, name: string, attributes: Attributes) {
      if (tracer) open.set(fields, tracer.startSpan(name, { attributes }))
    },
    end(fields: object, attributes: Attributes, isFailed: boolean = 'error.type' in attributes) {
      const span = open.get(fields)
      span?.setAttributes(attributes)
      if (isFailed) span?.setStatus({ code: SpanStatusCode.ERROR })
      span?.end()
    },
  }
}
