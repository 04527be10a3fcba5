import { defineListener, hmac } from 'hookgate'
import {
  type Envelope,
  fromEnvelope,
  type HandedOffEvent,
  toEnvelope,
} from 'hookgate/handoff'
import { durableObjectStore } from 'hookgate/stores/durable-object'
import { webhookHandler } from 'hookgate/web'
import { inTime } from './in-time.ts'

export { EventStoreObject } from 'hookgate/stores/durable-object'

/** As wrangler's configuration names them. The queue has a dead letter queue, for events that fail in every attempt. */
interface Env {
  readonly EVENTS: DurableObjectNamespace
  readonly WEBHOOKS: Queue<Envelope>
  readonly WEBHOOK_SECRET: string
}

/** Cloudflare Queues drops no duplicate, so make this idempotent by `event.id`. */
async function work(event: HandedOffEvent): Promise<void> {
  console.log(event.id, new TextDecoder().decode(event.rawBody))
}

export default {
  fetch(request, env) {
    const listener = defineListener({
      id: 'orders',
      auth: hmac({ secrets: env.WEBHOOK_SECRET }),
      store: durableObjectStore(env.EVENTS),
    })
    return webhookHandler(listener, async (event) => {
      await inTime(env.WEBHOOKS.send(toEnvelope(event)))
    })(request)
  },
  async queue(batch) {
    for (const message of batch.messages) {
      try {
        await work(fromEnvelope(message.body))
        message.ack()
      } catch (error) {
        console.error(error)
        message.retry()
      }
    }
  },
} satisfies ExportedHandler<Env, Envelope>
