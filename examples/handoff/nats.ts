import {
  AckPolicy,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
} from '@nats-io/jetstream'
import { connect, nanos } from '@nats-io/transport-node'
import type { Listener } from 'hookgate'
import {
  fromEnvelope,
  type HandedOffEvent,
  jobId,
  toEnvelope,
} from 'hookgate/handoff'
import { webhookHandler } from 'hookgate/web'

const STREAM = 'webhooks'
const SUBJECT = 'webhooks.orders'
const CONSUMER = 'orders'

/** As long as any sender retries. NATS remembers IDs for 2 minutes by default. */
const REMEMBERED_MS = 7 * 24 * 3_600_000

/** Run it when you deploy. */
async function createStream(manager: JetStreamManager): Promise<void> {
  const duplicate_window = nanos(REMEMBERED_MS)
  await manager.streams.add({
    name: STREAM,
    subjects: [SUBJECT],
    duplicate_window,
    max_age: duplicate_window,
  })
  await manager.consumers.add(STREAM, {
    durable_name: CONSUMER,
    ack_policy: AckPolicy.Explicit,
    max_deliver: 10,
  })
}

export async function startReceiver(listener: Listener, url: string) {
  const connection = await connect({
    servers: url,
    maxReconnectAttempts: -1,
  })
  await createStream(await jetstreamManager(connection))
  const stream = jetstream(connection, { timeout: 2000 })
  const fetch = webhookHandler(listener, async (event) => {
    // Through JetStream, which answers: a publish of core NATS succeeds even if nobody listens.
    await stream.publish(SUBJECT, JSON.stringify(toEnvelope(event)), {
      msgID: jobId(event),
      timeout: 2000,
    })
  })
  return { fetch, stop: () => connection.close() }
}

export async function startWorker(
  url: string,
  work: (event: HandedOffEvent) => Promise<void>,
) {
  const connection = await connect({
    servers: url,
    maxReconnectAttempts: -1,
  })
  const consumer = await jetstream(connection).consumers.get(
    STREAM,
    CONSUMER,
  )
  const messages = await consumer.consume()
  async function workOn(): Promise<void> {
    for await (const message of messages) {
      try {
        await work(fromEnvelope(message.json()))
        message.ack()
      } catch (error) {
        console.error(error)
        message.nak(1000)
      }
    }
  }
  const working = workOn()
  return {
    async stop(): Promise<void> {
      await messages.close()
      await working
      await connection.close()
    },
  }
}
