import { fileURLToPath } from 'node:url'
import type { Engine } from './engines.ts'
import { startServer } from './server-process.ts'

const EMULATOR = fileURLToPath(new URL('./sqs-emulator.mjs', import.meta.url))

/** An emulator, because the real SQS cannot run here. It forgets everything when it ends. */
export async function startSqs(): Promise<Engine> {
  const emulator = await startServer({
    command: process.execPath,
    args: (port) => [EMULATOR, `${port}`],
    listens: /listens on (\d+)/,
    urlOf: (port) => `http://sqs.us-east-1.localhost:${port}/000000000000/webhooks.fifo`, // the name that it gives its queues
  })
  process.env.AWS_ENDPOINT_URL_SQS = `http://127.0.0.1:${new URL(emulator.url).port}`
  return emulator
}
