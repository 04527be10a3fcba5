import { Queue, Worker } from 'bullmq'
import type { Listener } from 'hookgate'
import {
  type Envelope,
  fromEnvelope,
  type HandedOffEvent,
  jobId,
  toEnvelope,
} from 'hookgate/handoff'
import { webhookHandler } from 'hookgate/web'

/** As long as any sender retries. Without it, an event runs again if its job is over before the sender's next attempt. */
const REMEMBERED_MS = 7 * 24 * 3_600_000

export async function startReceiver(listener: Listener, url: string) {
  // While Redis is down, fail: by default `add` waits until it is back.
  const connection = {
    url,
    enableOfflineQueue: false,
    commandTimeout: 2000,
  }
  const queue = new Queue<Envelope>('webhooks', { connection })
  queue.on('error', (error) =>
    console.error('the queue is not reachable:', error.message),
  )
  await queue.waitUntilReady() // the options above do nothing before the first connection
  const fetch = webhookHandler(listener, async (event) => {
    await queue.add('webhook', toEnvelope(event), {
      deduplication: { id: jobId(event), ttl: REMEMBERED_MS },
      attempts: 10,
      backoff: { type: 'exponential', delay: 1000 },
      removeOnComplete: true,
    })
  })
  return { fetch, stop: () => queue.close() }
}

export async function startWorker(
  url: string,
  work: (event: HandedOffEvent) => Promise<void>,
) {
  const worker = new Worker<Envelope>(
    'webhooks',
    ({ data }) => work(fromEnvelope(data)),
    {
      connection: { url },
    },
  )
  worker.on('error', (error) =>
    console.error('the queue is not reachable:', error.message),
  )
  await worker.waitUntilReady()
  return { stop: () => worker.close() }
}
