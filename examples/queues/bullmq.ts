import {
  Queue,
  type QueueOptions,
  UnrecoverableError,
  Worker,
} from 'bullmq'
import {
  type Attempt,
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

export interface Sending {
  readonly connection: QueueOptions['connection']
  readonly endpointOf: (endpointId: string) => Promise<Endpoint>
  readonly onGone: (endpointId: string) => Promise<void>
  readonly options?: DeliverOptions
}

/** Carries the attempt to `backoffStrategy`, which says when the next one is due. */
class TryAgain extends Error {
  readonly attempt: Attempt

  constructor(attempt: Attempt) {
    super(attempt.reason ?? `status ${attempt.status}`)
    this.attempt = attempt
  }
}

const ATTEMPTS = 8

export function startSending({
  connection,
  endpointOf,
  onGone,
  options,
}: Sending) {
  const queue = new Queue<Webhook>('webhooks', { connection })
  const worker = new Worker<Webhook>(
    'webhooks',
    async ({ data: { endpointId, event } }) => {
      const attempt = await deliver(
        await endpointOf(endpointId),
        event,
        options,
      )
      if (attempt.outcome === 'done') return
      if (attempt.outcome === 'again') throw new TryAgain(attempt)
      if (attempt.outcome === 'gone') await onGone(endpointId)
      throw new UnrecoverableError(
        attempt.reason ?? `status ${attempt.status}`,
      )
    },
    {
      connection,
      settings: {
        backoffStrategy(attempts, _type, error, job) {
          const attempt: Pick<Attempt, 'outcome'> =
            error instanceof TryAgain
              ? error.attempt
              : { outcome: 'again' }
          const elapsedSeconds =
            (Date.now() - (job?.timestamp ?? Date.now())) / 1000
          return nextDelay(attempts, attempt, { elapsedSeconds }) ?? -1 // -1 gives the job up
        },
      },
    },
  )
  return {
    async send(webhook: Webhook): Promise<void> {
      const jobId = `${webhook.endpointId}.${webhook.event.id}` // a second one is dropped while the job is kept
      await queue.add('webhook', webhook, {
        jobId,
        attempts: ATTEMPTS,
        backoff: { type: 'custom' },
      })
    },
    async stop(): Promise<void> {
      await worker.close()
      await queue.close()
    },
  }
}
