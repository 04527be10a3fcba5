import type { BatchObservableResult } from '@opentelemetry/api'
import type { Queryable } from '../database/database.ts'
import type { Metrics } from '../metrics.ts'

/** Reports how many runs are unfinished and how old the oldest is, read whenever Prometheus asks. */
export function measureRuns(
  { meter }: Metrics,
  database: Queryable,
  { clock, report }: { readonly clock: { now(): number }; readonly report: (error: unknown) => void },
): void {
  const unfinished = meter.createObservableGauge('service.runs.unfinished', {
    unit: '{run}',
    description: 'Accepted runs that have not ended',
  })
  const oldest = meter.createObservableGauge('service.runs.oldest_unfinished.age', {
    unit: 's',
    description: 'Time since the oldest unfinished run was accepted',
  })
  const observe = async (result: BatchObservableResult) => {
    const [row] = await database.query<{ count: number; oldest: Date | null }>(
      'SELECT count(*)::int AS count, min(created_at) AS oldest FROM runs WHERE finished_at IS NULL',
    )
    result.observe(unfinished, row?.count ?? 0)
    result.observe(oldest, row?.oldest ? Math.max(0, clock.now() - row.oldest.getTime()) / 1_000 : 0)
  }
  meter.addBatchObservableCallback((result) => observe(result).catch(report), [unfinished, oldest])
}
