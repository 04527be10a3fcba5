import { type Attributes, type Meter, trace } from '@opentelemetry/api'
import type { VerifyFields } from '../report.ts'
import { DURATIONS } from './durations.ts'
import type { ChannelObserver } from './subscribe.ts'

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
      trace.getActiveSpan()?.setAttributes({ ...labels, ...detailsOf(fields) })
    },
  }
}

/** Attributes for spans only, not for metrics. */
function detailsOf({ auth, error, eventId, eventType }: VerifyFields): Attributes {
  return {
    ...(eventId && { 'hookgate.event.id': eventId }),
    ...(eventType && { 'hookgate.event.type': eventType }),
    ...(auth && { 'hookgate.auth.method': auth.method, 'hookgate.auth.key_id': auth.keyId }),
    ...(auth?.scheme && { 'hookgate.auth.scheme': auth.scheme }),
    ...(error && { 'error.type': error.name }),
  }
}
