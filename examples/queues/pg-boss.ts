import {
  type DeliverOptions,
  deliver,
  type Endpoint,
  nextDelay,
} from 'hookgate/sender'
import PgBoss from 'pg-boss'

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

export async function startSending({
  connectionString,
  endpointOf,
  onGone,
  options,
}: Sending) {
  const boss = new PgBoss({ connectionString })
  boss.on('error', (error) => console.error(error.message))
  await boss.start()
  await boss.createQueue('webhooks-failed')
  // pg-boss retries when this process dies. The next attempt is a new job, because its delay depends on the answer.
  await boss.createQueue('webhooks', {
    name: 'webhooks',
    retryLimit: 2,
    expireInSeconds: 60,
  })
  await boss.work<Planned>(
    'webhooks',
    { pollingIntervalSeconds: 0.5 },
    async ([job]) => {
      if (job === undefined) return
      const { endpointId, event, attempts, firstAt } = job.data
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
      if (delayMs === undefined) {
        await boss.send('webhooks-failed', {
          ...job.data,
          status: attempt.status ?? null,
          reason: attempt.reason ?? null,
        })
        return
      }
      const startAfter = new Date(Date.now() + delayMs)
      await boss.send(
        'webhooks',
        { ...job.data, attempts: attempts + 1 },
        { startAfter },
      )
    },
  )
  return {
    async send(webhook: Webhook): Promise<void> {
      await boss.send('webhooks', {
        ...webhook,
        attempts: 1,
        firstAt: Date.now(),
      })
    },
    stop: (): Promise<void> =>
      boss.stop({ graceful: true, wait: true }),
  }
}
