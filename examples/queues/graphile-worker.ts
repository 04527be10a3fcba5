import { makeWorkerUtils, run, type TaskList } from 'graphile-worker'
import {
  type DeliverOptions,
  deliver,
  type Endpoint,
  nextDelay,
} from 'hookgate/sender'

/** What the queue holds. The secret stays in your database. */
export interface Webhook {
  readonly endpointId: string
  readonly event: { readonly id: string; readonly body: string }
}

interface Planned extends Webhook {
  readonly attempts: number
  readonly firstAt: number
}

export interface Sending {
  readonly connectionString: string
  readonly endpointOf: (endpointId: string) => Promise<Endpoint>
  readonly onGone: (endpointId: string) => Promise<void>
  readonly options?: DeliverOptions
}

declare global {
  namespace GraphileWorker {
    interface Tasks {
      webhook: Planned
    }
  }
}

const jobKeyOf = ({ endpointId, event }: Webhook) =>
  `${endpointId}.${event.id}`

export async function startSending({
  connectionString,
  endpointOf,
  onGone,
  options,
}: Sending) {
  const taskList: TaskList = {
    async webhook(planned, { addJob, logger }) {
      const { endpointId, event, attempts, firstAt } = planned
      const attempt = await deliver(
        await endpointOf(endpointId),
        event,
        options,
      )
      const delayMs = nextDelay(attempts, attempt, {
        elapsedSeconds: (Date.now() - firstAt) / 1000,
      })
      if (attempt.outcome === 'done') return
      if (attempt.outcome === 'gone') await onGone(endpointId)
      if (delayMs === undefined)
        return logger.error(
          `${event.id}: ${attempt.reason ?? attempt.status}`,
        )
      // A new job, because the delay depends on the answer. The worker itself retries when this process dies.
      const runAt = new Date(Date.now() + delayMs)
      await addJob(
        'webhook',
        { ...planned, attempts: attempts + 1 },
        { runAt, jobKey: jobKeyOf(planned) },
      )
    },
  }
  const utils = await makeWorkerUtils({ connectionString })
  await utils.migrate()
  const runner = await run({
    connectionString,
    taskList,
    noHandleSignals: true,
    pollInterval: 500,
  })
  return {
    async send(webhook: Webhook): Promise<void> {
      const planned = { ...webhook, attempts: 1, firstAt: Date.now() }
      await utils.addJob('webhook', planned, {
        jobKey: jobKeyOf(webhook),
        maxAttempts: 3,
      })
    },
    async stop(): Promise<void> {
      await runner.stop()
      await utils.release()
    },
  }
}
