import { getConnInfo } from '@hono/node-server/conninfo'
import type { Context } from 'hono'
import { verifyWebhook } from 'hookgate/hono'
import type { Dependencies } from '../http/dependencies.ts'
import { Problem } from '../http/problem.ts'
import { newRouter, type Router } from '../http/router.ts'
import { unrouted } from '../http/unrouted.ts'
import { listenerDirectory } from '../listeners/directory.ts'
import { startRun } from '../runs/start.ts'
import { describeWebhooks } from './description.ts'
import { eventRecords } from './event-records.ts'

const LISTENERS = '/api/v1/webhooks/incoming'

/**
 * The listeners of all automations. hookgate verifies deliveries. An accepted event and its run are one
 * transaction, and the 200 follows its commit.
 */
export function webhookRoutes(dependencies: Dependencies): Router {
  const { database } = dependencies
  const findListener = listenerDirectory(dependencies, eventRecords(database))
  const router = newRouter()
  describeWebhooks(router)
  const find = (c: Context) => findListener(c.req.param('listener_id') ?? '')
  const trustedProxies = dependencies.config.SERVICE_TRUSTED_PROXIES
  const verified = verifyWebhook(find, trustedProxies.length > 0 ? { trustedProxies } : { sourceIp: peerOf })
  router.all(`${LISTENERS}/:listener_id`, (c, next) =>
    c.req.raw.url.includes('?') ? Promise.resolve(noListener()) : next(),
  )
  router.post(`${LISTENERS}/:listener_id`, verified, async (c) => {
    const event = c.var.webhook
    try {
      const runId = await database.transaction(async (tx) => {
        const started = await startRun(tx, dependencies, event)
        if (started !== undefined) await event.commit(tx.client)
        return started
      })
      if (runId === undefined) {
        await event.release()
        return notRunning()
      }
      dependencies.runs.announce()
      return c.json({ runId }, 200)
    } catch (error) {
      dependencies.report(error)
      await event.release().catch(dependencies.report)
      return unavailable()
    }
  })
  router.all(`${LISTENERS}/:listener_id`, unrouted(router))
  router.all(`${LISTENERS}/*`, noListener)
  return router
}

/** Senders of webhooks have no token of the main API, so its 401 would mislead them. */
function noListener(): Response {
  const detail = `Send webhooks to ${LISTENERS}/{listener_id}, without anything after it, not even a slash.`
  return new Problem('route_unknown', detail).toResponse()
}

/** Undefined without a socket, in tests. A listener with networks then refuses. */
function peerOf(c: Context): string | undefined {
  return c.env?.incoming === undefined ? undefined : getConnInfo(c).remote.address
}

/** Nothing is recorded, so the sender's next attempt counts as the first. */
function notRunning(): Response {
  const detail = 'The automation is not published, or its trigger is disabled.'
  return new Problem('automation_not_running', detail).toResponse()
}

function unavailable(): Response {
  return new Problem('unavailable', 'The event could not be recorded. Send it again.').toResponse()
}
