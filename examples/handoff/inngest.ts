import type { Listener } from 'hookgate'
import {
  fromEnvelope,
  type HandedOffEvent,
  jobId,
  toEnvelope,
} from 'hookgate/handoff'
import { webhookHandler } from 'hookgate/web'
import { Inngest } from 'inngest'
import { inTime } from './in-time.ts'

const inngest = new Inngest({ id: 'orders' })
const NAME = 'webhook/received'

/** Inngest starts no function twice for an event ID that it saw in the last 24 hours, which nobody can change. */
export const receiver = (listener: Listener) =>
  webhookHandler(listener, async (event) => {
    await inTime(
      inngest.send({
        id: jobId(event),
        name: NAME,
        data: toEnvelope(event),
      }),
    )
  })

/** Serve it as Inngest's own pages say. */
export const worker = (
  work: (event: HandedOffEvent) => Promise<void>,
) =>
  inngest.createFunction(
    { id: 'webhook', triggers: [{ event: NAME }], retries: 10 },
    ({ event }) => work(fromEnvelope(event.data)),
  )
