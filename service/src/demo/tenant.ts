import type { Queryable } from '../database/database.ts'
import { hashOf } from '../http/bearer.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { derivedKey } from '../http/derived-key.ts'

/** IDs of `assets/demo.json`, fixed so that documented commands and `assets/examples.json` can use them. */
export const DEMO = {
  adminId: 'user-ada',
  requesterId: 'user-grace',
  appId: 'app-payroll',
  secretId: 'secret-payroll',
  runId: 'run-hr',
} as const

/** UUIDs, as real ones, because senders see them. */
export const DEMO_LISTENERS = {
  hmac: '00000000-0000-4000-8000-00000000000a',
  jwt: '00000000-0000-4000-8000-00000000000b',
} as const

/**
 * The demo token of a super admin. Derived from the root secret, so that every start can print it although the database
 * holds only its hash.
 */
export function demoToken(secret: string): string {
  return `svc_demo_${demoSecret(secret)}`
}

/** The demo sender's secret. Derived from the root secret for the same reason. */
export function demoSigningSecret(secret: string): string {
  return derivedKey(secret, 'demo signing secret').toString('base64url')
}

function demoSecret(secret: string): string {
  return derivedKey(secret, 'demo token').toString('base64url')
}

export async function issueDemoToken(tx: Queryable, secret: string): Promise<void> {
  await tx.query(
    "INSERT INTO access_tokens (id, secret_hash, user_id, roles) VALUES ('demo', $1, $2, '{super_admin}')",
    [hashOf(demoSecret(secret)), DEMO.adminId],
  )
}

/** Whether the demo token is valid. It is not in a database that already had users, or once it is revoked. */
export async function hasDemoToken({ database, secret }: Dependencies): Promise<boolean> {
  const found = await database.query(
    "SELECT FROM access_tokens WHERE id = 'demo' AND secret_hash = $1 AND revoked_at IS NULL",
    [hashOf(demoSecret(secret))],
  )
  return found.length > 0
}

/** Revokes a demo token that was derived from an earlier root secret. */
export async function revokeDemoTokenOfOthers(tx: Queryable, secret: string): Promise<void> {
  await tx.query(
    "UPDATE access_tokens SET revoked_at = now() WHERE id = 'demo' AND revoked_at IS NULL AND secret_hash <> $1",
    [hashOf(demoSecret(secret))],
  )
}
