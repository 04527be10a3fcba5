import type { Tracer } from '@opentelemetry/api'
import type { KeysFields } from '../report.ts'
import { spansOf } from './spans.ts'
import type { ChannelObserver } from './subscribe.ts'

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
