import {
  type HatchetClient,
  IdempotencyCollisionError,
} from '@hatchet-dev/typescript-sdk'
import type { Listener } from 'hookgate'
import {
  fromEnvelope,
  type HandedOffEvent,
  jobId,
  toEnvelope,
} from 'hookgate/handoff'
import { webhookHandler } from 'hookgate/web'
import { inTime } from './in-time.ts'

/** As long as any sender retries. With the strategy `status`, Hatchet forgets the key when the run ends. */
const REMEMBERED_MS = 7 * 24 * 3_600_000

/** The envelope as text, because Hatchet's own types take no `readonly` array. */
type Job = { jobId: string; envelope: string }

/** The receiver and the worker declare the same task. The worker runs it. */
export const webhookTask = (
  hatchet: HatchetClient,
  work: (event: HandedOffEvent) => Promise<void>,
) =>
  hatchet.task({
    name: 'webhook',
    retries: 10,
    idempotency: {
      strategy: 'ttl',
      expression: 'input.jobId',
      ttlMs: REMEMBERED_MS,
    },
    fn: ({ envelope }: Job) => work(fromEnvelope(JSON.parse(envelope))),
  })

export function receiver(
  listener: Listener,
  task: ReturnType<typeof webhookTask>,
) {
  return webhookHandler(listener, async (event) => {
    try {
      const job = {
        jobId: jobId(event),
        envelope: JSON.stringify(toEnvelope(event)),
      }
      await inTime(task.runNoWait(job))
    } catch (error) {
      if (!(error instanceof IdempotencyCollisionError)) throw error // the job already exists
    }
  })
}
