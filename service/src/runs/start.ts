import type { WebhookEvent } from 'hookgate'
import type { Transaction } from '../database/database.ts'
import type { Dependencies } from '../http/dependencies.ts'

const decoder = new TextDecoder()

/**
 * Writes the run of an event, in the transaction of the event's record. The same statement checks that the automation is
 * running, so nothing can be unpublished in between.
 *
 * @returns The run's ID; undefined if the automation is not published or its trigger is disabled. Then roll back.
 */
export async function startRun(
  tx: Transaction,
  { clock, newId }: Dependencies,
  event: Pick<WebhookEvent, 'id' | 'listenerId' | 'rawBody'>,
): Promise<string | undefined> {
  const id = newId()
  const written = await tx.query(
    `INSERT INTO runs (id, automation_id, version, listener_id, event_id, input, state, created_at)
     SELECT $1, a.id, a.published_version, l.id, $3, $4, 'RUN_STATE_PENDING', $5
     FROM listeners l JOIN automations a ON a.id = l.automation_id
     WHERE l.id = $2 AND l.enabled AND a.published_version IS NOT NULL
     RETURNING 1`,
    [id, event.listenerId, event.id, decoder.decode(event.rawBody), new Date(clock.now())],
  )
  return written.length > 0 ? id : undefined
}
