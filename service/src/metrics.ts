import type { Meter } from '@opentelemetry/api'
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { createDenyListAttributesProcessor, MeterProvider } from '@opentelemetry/sdk-metrics'

/** IDs are no labels: each would be a series that never ends. */
const withoutIds = createDenyListAttributesProcessor(['hookgate.listener.id'])

export interface Metrics {
  /** Creates the metrics of this service, and those of `hookgate/otel`. */
  readonly meter: Meter
  /** All metrics in Prometheus's text format. */
  text(): Promise<string>
}

/** Collects metrics in this process. Sends them nowhere: Prometheus fetches them. */
export function openMetrics(): Metrics {
  const reader = new PrometheusExporter({ preventServerStart: true })
  const provider = new MeterProvider({
    readers: [reader],
    views: [{ instrumentName: '*', attributesProcessors: [withoutIds] }],
  })
  const serializer = new PrometheusSerializer()
  return {
    meter: provider.getMeter('hookgate-service'),
    text: async () => serializer.serialize((await reader.collect()).resourceMetrics),
  }
}
