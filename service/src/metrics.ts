import type { Counter, Meter } from '@opentelemetry/api'
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  createDenyListAttributesProcessor,
  MeterProvider,
  type MetricData,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics'

/** IDs are no labels: each would be a series that never ends. */
const withoutIds = createDenyListAttributesProcessor(['hookgate.listener.id'])

export interface Metrics {
  /** Creates the metrics of this service, and those of `hookgate/otel`. */
  readonly meter: Meter
  /** The runs that this process ended. */
  readonly endedRuns: Counter<{ outcome: 'succeeded' | 'failed' }>
  /** All metrics in Prometheus's text format. */
  text(): Promise<string>
}

/** Collects metrics in this process. Sends them nowhere: Prometheus fetches them. */
export function openMetrics(): Metrics {
  const reader = new PrometheusExporter({ preventServerStart: true })
  const provider = new MeterProvider({
    resource: resourceFromAttributes({ 'service.name': 'hookgate-service' }),
    readers: [reader],
    views: [{ instrumentName: '*', attributesProcessors: [withoutIds] }],
  })
  const meter = provider.getMeter('hookgate-service')
  const endedRuns: Metrics['endedRuns'] = meter.createCounter('service.runs.ended', {
    unit: '{run}',
    description: 'Runs that this process ended',
  })
  for (const outcome of ['succeeded', 'failed'] as const) endedRuns.add(0, { outcome }) // for rates from the first run on
  const serializer = new PrometheusSerializer()
  return {
    meter,
    endedRuns,
    text: async () => serializer.serialize(withUnits((await reader.collect()).resourceMetrics)),
  }
}

/** Ends the names of times in `_seconds`, as Prometheus and the dashboard of `docs/grafana` spell them. */
function withUnits({ resource, scopeMetrics }: ResourceMetrics): ResourceMetrics {
  const spelled = <Each extends MetricData>(each: Each): Each => {
    const { name, unit } = each.descriptor
    if (unit !== 's') return each
    return { ...each, descriptor: { ...each.descriptor, name: `${name}.seconds`, unit: 'seconds' } }
  }
  return { resource, scopeMetrics: scopeMetrics.map((of) => ({ ...of, metrics: of.metrics.map(spelled) })) }
}
