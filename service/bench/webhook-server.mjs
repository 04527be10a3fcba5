// A server process of webhooks.mjs: `service`, or `bare` (the framework and two INSERTs).
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { createApp } from '../dist/app.js'
import { readConfig } from '../dist/config.js'
import { openPostgres } from '../dist/database/postgres.js'
import { openMetrics } from '../dist/metrics.js'
import { RunQueue } from '../dist/runs/queue.js'

const [variant, url, secret, baseUrl] = process.argv.slice(2)
const report = (error) => console.error(error)
const database = openPostgres({ connectionString: url, max: 10 }, report)

function service() {
  return createApp({
    database,
    clock: Date,
    newId: () => crypto.randomUUID(),
    secret,
    baseUrl,
    config: readConfig({}),
    runs: new RunQueue(database),
    metrics: openMetrics(),
    stopping: new AbortController().signal,
    report,
  })
}

/** Verifies and looks up nothing. Parses and inserts what arrives, in one transaction. */
function bare() {
  return new Hono().post('*', async (c) => {
    const text = await c.req.text()
    JSON.parse(text)
    const [eventId, runId] = [c.req.header('webhook-event-id'), crypto.randomUUID()]
    await database.transaction(async (tx) => {
      await tx.query(
        `INSERT INTO claimed_events (event_id, listener_id, expires_at, done, owner)
         VALUES ($1, 'bare', now() + interval '7 days', true, $2)`,
        [eventId, runId],
      )
      await tx.query(
        `INSERT INTO runs (id, automation_id, version, listener_id, event_id, input, state, created_at)
         VALUES ($1, 'bare', 1, 'bare', $2, $3, 'RUN_STATE_PENDING', $4)`,
        [runId, eventId, text, new Date()],
      )
    })
    return c.json({ runId }, 200)
  })
}

const app = variant === 'service' ? service() : bare()
const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
  process.send?.({ port }),
)
server.keepAliveTimeout = 0 // a round of the other server may take longer than the default
process.on('disconnect', () => process.exit())
