import { subscribe } from 'node:diagnostics_channel'
import type { StoreFields, VerifyFields } from 'hookgate'
import { Counter, Histogram, register } from 'prom-client'

const buckets = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1,
  2.5,
]
const verdict = [
  'hookgate_listener_id',
  'hookgate_outcome',
  'hookgate_reason',
] as const
const call = [
  'hookgate_store_verb',
  'hookgate_store_answer',
  'error_type',
] as const

const deliveries = new Counter({
  name: 'hookgate_deliveries_total',
  help: 'Deliveries by verdict',
  labelNames: verdict,
})
const verifySeconds = new Histogram({
  name: 'hookgate_verify_duration_seconds',
  help: 'Time from the whole body to the verdict',
  labelNames: verdict,
  buckets,
})
const storeSeconds = new Histogram({
  name: 'hookgate_store_operation_duration_seconds',
  help: 'Time that the event store took for one call',
  labelNames: call,
  buckets,
})
const leasesLost = new Counter({
  name: 'hookgate_lease_lost_total',
  help: 'Events whose handler outlived its lease',
  labelNames: ['hookgate_listener_id'],
})

subscribe('tracing:hookgate:verify:asyncEnd', (message) => {
  const { listenerId, outcome, reason, durationMs } =
    message as VerifyFields
  if (outcome === 'checked') return // the verdict comes next
  const labels = {
    hookgate_listener_id: listenerId,
    hookgate_outcome: outcome,
    hookgate_reason: reason ?? '',
  }
  deliveries.inc(labels)
  verifySeconds.observe(labels, durationMs / 1000)
})

const ends = new WeakMap<
  object,
  ReturnType<typeof storeSeconds.startTimer>
>()
subscribe('tracing:hookgate:store:start', (message) => {
  ends.set(message as StoreFields, storeSeconds.startTimer())
})
subscribe('tracing:hookgate:store:asyncEnd', (message) => {
  const fields = message as StoreFields
  const { answer, error, listenerId, verb } = fields
  ends.get(fields)?.({
    hookgate_store_verb: verb,
    hookgate_store_answer: error ? '' : String(answer),
    error_type: error?.name ?? '',
  })
  if (answer === 'lost')
    leasesLost.inc({ hookgate_listener_id: listenerId })
})

/** The response to `GET /metrics`. */
export const metrics = (): Promise<string> => register.metrics()
