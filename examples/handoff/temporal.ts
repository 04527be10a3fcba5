import {
  Client,
  Connection,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/client'
import type { Listener } from 'hookgate'
import {
  type Envelope,
  fromEnvelope,
  type HandedOffEvent,
  jobId,
  toEnvelope,
} from 'hookgate/handoff'
import { webhookHandler } from 'hookgate/web'

export async function startReceiver(
  listener: Listener,
  address: string,
) {
  const client = new Client({
    connection: await Connection.connect({ address }),
  })
  const fetch = webhookHandler(listener, async (event) => {
    const options = {
      taskQueue: 'webhooks',
      workflowId: jobId(event),
      workflowIdReusePolicy: 'REJECT_DUPLICATE', // by default a closed workflow's ID can be used again
      args: [toEnvelope(event)],
    } as const // the names of policies are literal types
    try {
      await client.withDeadline(Date.now() + 2000, () =>
        client.workflow.start('webhook', options),
      )
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError))
        throw error // the job already exists
    }
  })
  return { fetch, stop: () => client.connection.close() }
}

/** The activity that the workflow `webhook` runs with the envelope it was given. */
export const activities = (
  work: (event: HandedOffEvent) => Promise<void>,
) => ({
  work: (envelope: Envelope) => work(fromEnvelope(envelope)),
})
