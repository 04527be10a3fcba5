import type { Queryable, Transaction } from '../database/database.ts'
import type { Caller } from '../http/bearer.ts'
import type { Dependencies } from '../http/dependencies.ts'
import type { Listing } from '../http/list.ts'
import { Problem } from '../http/problem.ts'
import { iso } from '../http/timestamp.ts'
import type { ListenerRow } from '../listeners/rows.ts'
import type { SigningSecret } from '../listeners/schema.ts'
import { createListener, deleteListener, patchListener, webhookOf } from '../listeners/store.ts'
import type { Automation, AutomationPatch, NewAutomation, SearchAutomations } from './schema.ts'

/** An automation without what its listener adds. */
type Stored = Omit<Automation, 'trigger' | 'createdAt' | 'updatedAt'>

export interface AutomationRow extends Stored {
  readonly created_at: Date
  readonly updated_at: Date
  readonly listener: ListenerRow
}

const ROWS = `a.id, a.display_name AS "displayName", a.description, a.steps, a.published_version AS "publishedVersion",
  a.created_by_user_id AS "createdByUserId", a.created_at, a.updated_at, to_jsonb(l) AS listener
  FROM automations a JOIN listeners l ON l.automation_id = a.id`

const QUERY = 'strpos(lower(a.display_name), lower($1)) > 0 OR strpos(lower(a.description), lower($1)) > 0'

/** The automations that match, newest first. */
export function automationsLike({ query, refs }: Partial<SearchAutomations>): Listing {
  return {
    name: 'automations',
    select: ROWS,
    where: `a.deleted_at IS NULL AND ($1::text IS NULL OR ${QUERY})
      AND (cardinality($2::text[]) = 0 OR a.id = ANY($2))`,
    params: [query ?? null, (refs ?? []).map(({ id }) => id)],
    keys: ['a.number'],
    order: 'DESC',
  }
}

/** @throws Problem `automation_unknown`. */
export async function findAutomation(database: Queryable, id: string): Promise<AutomationRow> {
  const [row] = await database.query<AutomationRow>(
    `SELECT ${ROWS} WHERE a.id = $1 AND a.deleted_at IS NULL`,
    [id],
  )
  return row ?? refuseUnknown()
}

export async function createAutomation(
  tx: Transaction,
  dependencies: Dependencies,
  caller: Caller,
  { displayName, description, steps, trigger }: NewAutomation,
  listenerId: string = dependencies.newId(),
): Promise<{ id: string; signingSecret: SigningSecret | null }> {
  const id = dependencies.newId()
  await tx.query(
    `INSERT INTO automations (id, display_name, description, steps, created_by_user_id, created_at, updated_at)
     VALUES ($1, $2, $3, $4::jsonb, $5, $6, $6)`,
    [id, displayName, description, JSON.stringify(steps), caller.userId, new Date(dependencies.clock.now())],
  )
  return {
    id,
    signingSecret: await createListener(tx, dependencies, { id: listenerId, automationId: id }, trigger),
  }
}

/** Changes the fields that are present. New steps run only once published. @throws Problem `automation_unknown`. */
export async function patchAutomation(
  tx: Transaction,
  dependencies: Dependencies,
  id: string,
  { displayName, description, steps, trigger }: AutomationPatch,
): Promise<AutomationRow> {
  const set = `display_name = coalesce($2, display_name), description = coalesce($3, description),
    steps = coalesce($4::jsonb, steps), updated_at = $5`
  const now = new Date(dependencies.clock.now())
  await update(tx, id, set, [displayName, description, steps && JSON.stringify(steps), now])
  if (trigger) await patchListener(tx, dependencies, id, trigger)
  return findAutomation(tx, id)
}

/** Publishes the current steps as a new version. @throws Problem `automation_unknown`. */
export async function publishAutomation(
  tx: Transaction,
  { clock }: Dependencies,
  id: string,
): Promise<AutomationRow> {
  const set = 'published_version = coalesce(published_version, 0) + 1, updated_at = $2'
  await update(tx, id, set, [new Date(clock.now())])
  await tx.query(
    `INSERT INTO automation_versions (automation_id, version, steps, published_at)
     SELECT id, published_version, steps, updated_at FROM automations WHERE id = $1`,
    [id],
  )
  return findAutomation(tx, id)
}

/**
 * Marks the automation as deleted and removes its listener and secrets. Accepted runs continue and stay readable.
 *
 * @throws Problem `automation_unknown`.
 */
export async function deleteAutomation(tx: Transaction, { clock }: Dependencies, id: string): Promise<void> {
  await update(tx, id, 'deleted_at = $2', [new Date(clock.now())])
  await deleteListener(tx, id)
}

/** @param set The assignments. Their values begin with `$2`. */
async function update(tx: Transaction, id: string, set: string, values: readonly unknown[]): Promise<void> {
  const where = 'id = $1 AND deleted_at IS NULL'
  const [row] = await tx.query(`UPDATE automations SET ${set} WHERE ${where} RETURNING id`, [id, ...values])
  if (row === undefined) refuseUnknown()
}

function refuseUnknown(): never {
  throw new Problem('automation_unknown', 'There is no automation with this ID.')
}

export async function automationOf(
  database: Queryable,
  dependencies: Dependencies,
  row: AutomationRow,
): Promise<Automation> {
  const { id, displayName, description, steps, publishedVersion, listener, createdByUserId } = row
  const incomingWebhook = await webhookOf(database, dependencies, listener)
  return {
    ...{ id, displayName, description, steps, publishedVersion },
    trigger: { enabled: listener.enabled, incomingWebhook },
    createdByUserId,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
  }
}
