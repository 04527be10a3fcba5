import type { Dependencies } from './http/dependencies.ts'
import { RunWorker } from './runs/worker.ts'
import { eventRecords } from './webhooks/event-records.ts'

const SWEEP_MS = 60_000

/** What goes on beside the requests: runs are worked on, and events older than 7 days forgotten. */
export function startBackground(dependencies: Dependencies): { stop(): Promise<void> } {
  const { database, jobs, report } = dependencies
  const events = eventRecords(database)
  const worker = new RunWorker(dependencies)
  const sweeping = setInterval(() => events.sweep().catch(report), SWEEP_MS)
  return {
    async stop() {
      clearInterval(sweeping)
      await worker.stop()
      await jobs.close()
    },
  }
}
