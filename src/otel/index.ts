import { type Meter, metrics, type Tracer, trace } from '@opentelemetry/api'
import { aBoolean, checkOptions, optional, withMethods } from '../lib/options.ts'
import { observeInbox, observeKeys, observeStore, observeVerdicts } from './observers.ts'
import { type AskedInbox, observeOldest } from './oldest.ts'
import { subscribe } from './subscribe.ts'

/** The options of `instrument`. */
export interface InstrumentOptions {
  /** Creates the spans for `spans: true`. Defaults to the registered provider's tracer. */
  readonly tracer?: Tracer | undefined
  /** Creates the metrics. Defaults to the registered provider's meter. */
  readonly meter?: Meter | undefined
  /** Whether to create a span for each claim, each fetch of a key set, and each put and run of an inbox. Defaults to false. */
  readonly spans?: boolean | undefined
  /** An inbox, to report how long its oldest waiting job has been due: one small statement at each collection. */
  readonly inbox?: AskedInbox | undefined
}

/**
 * Reports the verdicts of all listeners in this process to OpenTelemetry, as attributes on the active span
 * and as metrics. Call it once, after the SDK has started. Never reports a payload, token, signature or
 * secret, and no metric contains an event ID or an address.
 *
 * @example
 * ```ts
 * const stop = instrument({ spans: true })
 * ```
 *
 * @returns A function that stops reporting.
 * @throws ListenerConfigError if an option is wrong, or if the runtime has no tracing channels.
 */
export function instrument(options: InstrumentOptions = {}): () => void {
  checkOptions('instrument', options, {
    tracer: optional(withMethods(['startSpan'])),
    meter: optional(withMethods(['createHistogram', 'createCounter'])),
    spans: optional(aBoolean),
    inbox: optional(withMethods(['oldest'], 'inbox(client)')),
  })
  const { tracer = trace.getTracer('hookgate'), meter = metrics.getMeter('hookgate') } = options
  const spans = options.spans === true ? tracer : undefined
  const stops = [
    subscribe('verify', observeVerdicts(meter)),
    subscribe('store', observeStore(meter, spans)),
    subscribe('keys', observeKeys(spans)),
    subscribe('inbox', observeInbox(meter, spans)),
    ...(options.inbox ? [observeOldest(meter, options.inbox)] : []),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
