import {
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import type { Listener } from 'hookgate'
import {
  fromEnvelope,
  type HandedOffEvent,
  jobId,
  toEnvelope,
} from 'hookgate/handoff'
import { webhookHandler } from 'hookgate/web'

/** The queue's name ends in `.fifo`: other queues have no deduplication. */
export async function startReceiver(
  listener: Listener,
  queueUrl: string,
) {
  const client = new SQSClient({
    useQueueUrlAsEndpoint: false, // the endpoint is that of AWS_REGION, or AWS_ENDPOINT_URL_SQS
    maxAttempts: 1, // the sender is the one that retries
    requestHandler: {
      connectionTimeout: 1000,
      requestTimeout: 2000,
      throwOnRequestTimeout: true,
    },
  })
  const fetch = webhookHandler(listener, async (event) => {
    const id = jobId(event)
    await client.send(
      new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: JSON.stringify(toEnvelope(event)),
        MessageDeduplicationId: id,
        MessageGroupId: id, // a group of its own: events wait for no other event
      }),
    )
  })
  return { fetch, stop: async () => client.destroy() }
}

export async function startWorker(
  queueUrl: string,
  work: (event: HandedOffEvent) => Promise<void>,
) {
  const client = new SQSClient({ useQueueUrlAsEndpoint: false })
  const stopping = new AbortController()
  const { signal } = stopping
  async function poll(): Promise<void> {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: 10,
        WaitTimeSeconds: 20,
      }),
      { abortSignal: signal },
    )
    for (const { Body = '', ReceiptHandle } of Messages) {
      await work(fromEnvelope(JSON.parse(Body)))
      await client.send(
        new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle }),
      )
    }
  }
  async function pollOn(): Promise<void> {
    // An event whose work failed is delivered again when its visibility timeout is over.
    while (!signal.aborted)
      await poll().catch(
        (error) => signal.aborted || console.error(error),
      )
  }
  const polling = pollOn()
  return {
    async stop(): Promise<void> {
      stopping.abort()
      await polling
      client.destroy()
    },
  }
}
