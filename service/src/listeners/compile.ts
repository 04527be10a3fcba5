import {
  defineListener,
  type EventStore,
  hmac,
  KeySetError,
  type Listener,
  ListenerConfigError,
  type Reason,
} from 'hookgate'
import { jwt, type KeySet } from 'hookgate/jwt'
import { LRUCache } from 'lru-cache'
import type { Queryable } from '../database/database.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { Problem } from '../http/problem.ts'
import { eventRecords } from '../webhooks/event-records.ts'
import { tenantKeySet } from './key-hosts.ts'
import type { ListenerRow } from './rows.ts'
import { liveSecrets } from './secrets.ts'

/** The URL that the sender posts to. A token's `aud` must equal it. */
export function urlOf({ baseUrl }: Pick<Dependencies, 'baseUrl'>, listenerId: string): string {
  return `${baseUrl}/api/v1/webhooks/incoming/${listenerId}`
}

/** After a crash, an event waits for this time. Longer than a statement may take. */
const LEASE_SECONDS = 20

const told = new LRUCache<string, true>({ max: 1_000, ttl: 60_000 })

/** Names a refusal in the log, once a minute for each listener and reason. Senders may repeat an event. */
function tellOnce({ report }: Dependencies, id: string, reason: Reason): void {
  const line = `listener ${id} refused a delivery: ${reason}. What to do: docs/errors.md#${reason}`
  if (reason === 'event_duplicate' || reason === 'event_in_progress' || told.has(line)) return
  told.set(line, true)
  report(line)
}

/** Compiles a saved listener for verification by hookgate. Undefined if it has no secret that can be opened. */
export async function compileListener(
  database: Queryable,
  dependencies: Dependencies,
  row: ListenerRow,
  store: EventStore,
  keySet: KeySet | undefined,
): Promise<Listener | undefined> {
  const secrets = keySet ? [] : await liveSecrets(database, dependencies, row.id)
  if (!keySet && secrets.length === 0) return undefined
  return defineListener({
    id: row.id,
    auth: keySet
      ? jwt({ keySet, subject: dependencies.baseUrl, audience: urlOf(dependencies, row.id) })
      : hmac({ secrets }),
    store,
    allowedCidrs: row.allowed_cidrs ?? undefined,
    settle: 'manual',
    leaseSeconds: LEASE_SECONDS,
    clock: dependencies.clock,
    onVerdict: ({ reason }) => reason && tellOnce(dependencies, row.id, reason),
    onError: (error) => {
      if (!(error instanceof KeySetError)) dependencies.report(error) // the key set has logged its outage
    },
  })
}

/** The key set of a listener, which is named when its key host fails. Undefined for HMAC. */
export function keySetOf(
  { config, report }: Pick<Dependencies, 'config' | 'report'>,
  { id, jwks_url: url }: ListenerRow,
): KeySet | undefined {
  if (url === null) return undefined
  return tenantKeySet(url, {
    allowPrivateJwks: config.SERVICE_ALLOW_PRIVATE_JWKS,
    log: (line) => report(`listener ${id}: ${line}`),
  })
}

/**
 * Checks a listener before it is saved, by compiling it.
 *
 * @throws Problem `webhook_invalid` with hookgate's own message.
 */
export async function checkListener(
  tx: Queryable,
  dependencies: Dependencies,
  row: ListenerRow,
): Promise<void> {
  try {
    const store = eventRecords(dependencies.database)
    await compileListener(tx, dependencies, row, store, keySetOf(dependencies, row))
  } catch (error) {
    if (error instanceof ListenerConfigError) throw new Problem('webhook_invalid', error.message)
    throw error
  }
}
