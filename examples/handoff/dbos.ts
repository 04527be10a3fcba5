import { DBOS, DBOSClient } from '@dbos-inc/dbos-sdk'
import type { Listener } from 'hookgate'
import {
  type Envelope,
  fromEnvelope,
  type HandedOffEvent,
  jobId,
  toEnvelope,
} from 'hookgate/handoff'
import { webhookHandler } from 'hookgate/web'
import pg from 'pg'

const QUEUE = 'webhooks'
const WORKFLOW = 'webhook'
const APPLICATION = 'orders'

export async function startReceiver(
  listener: Listener,
  systemDatabaseUrl: string,
) {
  // While Postgres is down, fail: by default DBOS tries again until it is back.
  const pool = new pg.Pool({
    connectionString: systemDatabaseUrl,
    connectionTimeoutMillis: 1000,
    query_timeout: 1000,
  })
  // Without these two, a connection that breaks ends the process: an idle one, or one in a transaction.
  pool.on('error', (error) =>
    console.error('an idle connection broke:', error.message),
  )
  pool.on('connect', (connection) => connection.on('error', () => {})) // its next statement rejects
  const client = await DBOSClient.create({
    systemDatabaseUrl,
    applicationName: APPLICATION,
  })
  const fetch = webhookHandler(listener, async (event) => {
    const tx = await pool.connect()
    try {
      await tx.query('BEGIN')
      const options = {
        queueName: QUEUE,
        workflowName: WORKFLOW,
        workflowID: jobId(event),
      }
      await client.enqueueInTransaction(tx, options, toEnvelope(event)) // your own writes may go beside it
      await tx.query('COMMIT')
      tx.release()
    } catch (error) {
      tx.release(true) // closes the connection, and Postgres rolls back
      throw error
    }
  })
  return {
    fetch,
    async stop(): Promise<void> {
      await client.destroy()
      await pool.end()
    },
  }
}

export async function startWorker(
  systemDatabaseUrl: string,
  work: (event: HandedOffEvent) => Promise<void>,
) {
  DBOS.setConfig({ name: APPLICATION, systemDatabaseUrl })
  DBOS.registerWorkflow(
    (envelope: Envelope) =>
      DBOS.runStep(() => work(fromEnvelope(envelope)), {
        retriesAllowed: true,
        maxAttempts: 10,
      }),
    { name: WORKFLOW },
  )
  await DBOS.launch()
  await DBOS.registerQueue(QUEUE)
  return { stop: () => DBOS.shutdown({ deregister: true }) }
}
