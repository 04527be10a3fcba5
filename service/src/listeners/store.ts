import type { Queryable, Transaction } from '../database/database.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { Problem } from '../http/problem.ts'
import { checkListener, urlOf } from './compile.ts'
import { COLUMNS, changeListener, type ListenerRow } from './rows.ts'
import type { IncomingWebhook, NewWebhook, SigningSecret, WebhookPatch } from './schema.ts'
import { addSecret, shownSecrets } from './secrets.ts'

/** Creates the listener of a new trigger: its URL, and for HMAC its secret. */
export async function createListener(
  tx: Transaction,
  dependencies: Dependencies,
  { id, automationId }: { readonly id: string; readonly automationId: string },
  { incomingWebhook: webhook, enabled }: { readonly incomingWebhook: NewWebhook; readonly enabled: boolean },
): Promise<SigningSecret | null> {
  const [row] = await tx.query<ListenerRow>(
    `INSERT INTO listeners (id, automation_id, enabled, allowed_cidrs, jwks_url)
     VALUES ($1, $2, $3, $4, $5) RETURNING ${COLUMNS}`,
    [id, automationId, enabled, webhook.allowedCidrs ?? null, webhook.jwt?.jwksUrl ?? null],
  )
  const signingSecret = webhook.jwt ? null : await addSecret(tx, dependencies, id)
  if (row) await checkListener(tx, dependencies, row)
  return signingSecret
}

export async function patchListener(
  tx: Transaction,
  dependencies: Dependencies,
  automationId: string,
  patch: { readonly incomingWebhook?: WebhookPatch | undefined; readonly enabled?: boolean | undefined },
): Promise<void> {
  const before = await changeListener(tx, 'automation_id', automationId)
  const { allowedCidrs = before.allowed_cidrs, jwt } = patch.incomingWebhook ?? {}
  if (before.jwks_url === null && jwt)
    throw new Problem('webhook_invalid', 'This trigger authenticates by HMAC. The method cannot change.')
  const [row] = await tx.query<ListenerRow>(
    `UPDATE listeners SET enabled = $2, allowed_cidrs = $3, jwks_url = $4 WHERE id = $1 RETURNING ${COLUMNS}`,
    [before.id, patch.enabled ?? before.enabled, allowedCidrs, jwt?.jwksUrl ?? before.jwks_url],
  )
  if (row) await checkListener(tx, dependencies, row)
}

/** Deletes the listener and its secrets. Its URL then answers 404. */
export async function deleteListener(tx: Transaction, automationId: string): Promise<void> {
  const { id } = await changeListener(tx, 'automation_id', automationId)
  await tx.query('DELETE FROM listener_secrets WHERE listener_id = $1', [id])
  await tx.query('DELETE FROM listeners WHERE id = $1', [id])
}

/** The listener as the API shows it, with the IDs of its live secrets. */
export async function webhookOf(
  database: Queryable,
  dependencies: Dependencies,
  row: ListenerRow,
): Promise<IncomingWebhook> {
  const { id, jwks_url: jwksUrl } = row
  return {
    listenerId: id,
    url: urlOf(dependencies, id),
    allowedCidrs: row.allowed_cidrs,
    hmac: jwksUrl === null ? { secrets: await shownSecrets(database, id) } : null,
    jwt: jwksUrl === null ? null : { jwksUrl },
  }
}
