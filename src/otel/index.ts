import { type Meter, metrics, type Tracer, trace } from '@opentelemetry/api'
import { aBoolean, checkOptions, optional, withMethods } from '../lib/options.ts'
import { observeKeys } from './keys.ts'
import { observeStore } from './store.ts'
import { subscribe } from './subscribe.ts'
import { observeVerdicts } from './verdicts.ts'

/**
 * The options of `instrument`.
 *
 * @see {@link instrument}
 */
export interface InstrumentOptions {
  /** Makes the spans of `spans: true`. Default: the registered provider's. */
  readonly tracer?: Tracer | undefined
  /** Makes the metrics. Default: the registered provider's. */
  readonly meter?: Meter | undefined
  /** Also make a span for each claim and for each fetch of a key set. Default false. */
  readonly spans?: boolean | undefined
}

/**
 * Reports to OpenTelemetry what every listener of this process decides: attributes on the active span, and metrics. Call it
 * once, after the SDK has started. No payload, token, signature or secret is reported, and no metric has an event ID or an
 * address.
 *
 * @example
 * ```ts
 * const stop = instrument({ spans: true })
 * ```
 *
 * @returns A function that stops the reports.
 * @throws ListenerConfigError if an option is wrong, or if the runtime has no tracing channels.
 */
export function instrument(options: InstrumentOptions = {}): () => void {
  checkOptions('instrument', options, {
    tracer: optional(withMethods(['startSpan'])),
    meter: optional(withMethods(['createHistogram', 'createCounter'])),
    spans: optional(aBoolean),
  })
  const { tracer = trace.getTracer('hookgate'), meter = metrics.getMeter('hookgate') } = options
  const spans = options.spans === true ? tracer : undefined
  const stops = [
    subscribe('verify', observeVerdicts(meter)),
    subscribe('store', observeStore(meter, spans)),
    subscribe('keys', observeKeys(spans)),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
