import { idempotencyKeys, task } from '@trigger.dev/sdk'
import type { Listener } from 'hookgate'
import {
  type Envelope,
  fromEnvelope,
  type HandedOffEvent,
  jobId,
  toEnvelope,
} from 'hookgate/handoff'
import { webhookHandler } from 'hookgate/web'
import { inTime } from './in-time.ts'

async function work(event: HandedOffEvent): Promise<void> {
  console.log(event.id, new TextDecoder().decode(event.rawBody))
}

export const webhook = task({
  id: 'webhook',
  retry: { maxAttempts: 10 },
  run: (envelope: Envelope) => work(fromEnvelope(envelope)),
})

export const receiver = (listener: Listener) =>
  webhookHandler(listener, async (event) => {
    const idempotencyKey = await idempotencyKeys.create(jobId(event), {
      scope: 'global',
    })
    await inTime(
      webhook.trigger(toEnvelope(event), {
        idempotencyKey,
        idempotencyKeyTTL: '7d',
      }),
    )
  })
