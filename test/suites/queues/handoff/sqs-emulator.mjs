// SQS as emulated by fauxqs, with one FIFO queue. Listens on loopback only, unlike fauxqs's own command. One argument:
// the port.
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs'
import { buildApp } from 'fauxqs'

const app = buildApp({ logger: false })
const endpoint = await app.listen({ port: Number(process.argv[2]), host: '127.0.0.1' })
const client = new SQSClient({ endpoint })
const Attributes = { FifoQueue: 'true', VisibilityTimeout: '5' }
await client.send(new CreateQueueCommand({ QueueName: 'webhooks.fifo', Attributes }))
client.destroy()
console.log(`listens on ${new URL(endpoint).port}`)
