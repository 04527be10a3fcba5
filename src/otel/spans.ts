import { type Attributes, type Span, SpanStatusCode, type Tracer } from '@opentelemetry/api'

/** The spans of operations in flight, by the operation's fields object. */
export interface Spans {
  start(fields: object, name: string, attributes: Attributes): void
  end(fields: object, attributes: Attributes): void
}

/** Does nothing without a tracer. */
export function spansOf(tracer: Tracer | undefined): Spans {
  const open = new WeakMap<object, Span>()
  return {
    start(fields, name, attributes) {
      if (tracer) open.set(fields, tracer.startSpan(name, { attributes }))
    },
    end(fields, attributes) {
      const span = open.get(fields)
      span?.setAttributes(attributes)
      if ('error.type' in attributes) span?.setStatus({ code: SpanStatusCode.ERROR })
      span?.end()
    },
  }
}
