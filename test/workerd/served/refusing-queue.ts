import { env, WorkerEntrypoint } from 'cloudflare:workers'

const refused = new Set<string>()

/**
 * Stands in for a queue that is down for a moment, because miniflare's own queue takes every job, even without a
 * worker. Refuses the first job of each event, and passes the next one on.
 */
export class RefusingQueue extends WorkerEntrypoint {
  async send(envelope: { readonly id: string }): Promise<void> {
    if (!refused.has(envelope.id)) {
      refused.add(envelope.id)
      throw new Error('the queue is down')
    }
    await env.QUEUE.send(envelope)
  }
}
