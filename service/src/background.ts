import type { Dependencies } from './http/dependencies.ts'
import { sweepOld } from './retention.ts'
import { startWorker } from './runs/worker.ts'
import { eventRecords } from './webhooks/event-records.ts'

const SWEEP_MS = 60_000

/**
 * The background work. Processes runs. At the start and every minute, forgets events after 7 days, and deletes what is
 * older than the retention.
 */
export function startBackground(dependencies: Dependencies): { stop(): Promise<void> } {
  const { database, report } = dependencies
  const events = eventRecords(database)
  const worker = startWorker(dependencies)
  const sweep = () => Promise.all([events.sweep(), sweepOld(dependencies)]).then(() => {}, report)
  let swept = sweep()
  const sweeping = setInterval(() => {
    swept = swept.then(sweep)
  }, SWEEP_MS)
  return {
    async stop() {
      clearInterval(sweeping)
      await swept
      await worker.stop()
    },
  }
}
