import { hashOf } from '../http/bearer.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { derivedKey } from '../http/derived-key.ts'
import type { Queryable, Transaction } from './database.ts'

/** The demo tenant's IDs, fixed so that documented commands can use them. */
export const DEMO = {
  adminId: 'user-ada',
  requesterId: 'user-grace',
  approverId: 'user-alan',
  appId: 'app-payroll',
  entitlementId: 'entitlement-01',
  appUserId: 'app-user-grace',
  reviewId: 'review-payroll',
  insightId: 'insight-unused',
  grantPolicyId: 'policy-grant-three-steps',
} as const

/** Adds one part of the demo tenant, in the seed's transaction. */
export type SeedPart = (tx: Transaction, dependencies: Dependencies) => Promise<void>

/**
 * The demo token of a super admin. Derived from the root secret, so that every start can print it although the database
 * holds only its hash.
 */
export function demoToken(secret: string): string {
  return `svc_demo_${demoSecret(secret)}`
}

/** Whether the demo token is valid. It is not in a database that already had users, or once it is revoked. */
export async function hasDemoToken({ database, secret }: Dependencies): Promise<boolean> {
  const found = await database.query(
    "SELECT FROM access_tokens WHERE id = 'demo' AND secret_hash = $1 AND revoked_at IS NULL",
    [hashOf(demoSecret(secret))],
  )
  return found.length > 0
}

function demoSecret(secret: string): string {
  return derivedKey(secret, 'demo token').toString('base64url')
}

/** Revokes a demo token that was derived from an earlier root secret. */
export async function revokeDemoTokenOfOthers(tx: Queryable, secret: string): Promise<void> {
  await tx.query(
    "UPDATE access_tokens SET revoked_at = now() WHERE id = 'demo' AND revoked_at IS NULL AND secret_hash <> $1",
    [hashOf(demoSecret(secret))],
  )
}

/** Fills a database without users in one transaction. Does nothing otherwise. */
export async function seed(dependencies: Dependencies, parts: readonly SeedPart[]): Promise<boolean> {
  return dependencies.database.transaction(async (tx) => {
    await tx.query("SELECT pg_advisory_xact_lock(hashtextextended('hookgate-service seed', 0))")
    if ((await tx.query('SELECT FROM users LIMIT 1')).length > 0) return false
    for (const part of [seedDirectory, ...parts]) await part(tx, dependencies)
    return true
  })
}

const seedDirectory: SeedPart = async (tx, { clock, secret }) => {
  const now = new Date(clock.now())
  await tx.query(
    `INSERT INTO users (id, display_name, email, created_at) VALUES
     ($1, 'Ada Lovelace', 'ada@example.com', $4), ($2, 'Grace Hopper', 'grace@example.com', $4),
     ($3, 'Alan Turing', 'alan@example.com', $4)`,
    [DEMO.adminId, DEMO.requesterId, DEMO.approverId, now],
  )
  await tx.query(
    "INSERT INTO access_tokens (id, secret_hash, user_id, roles) VALUES ('demo', $1, $2, '{super_admin}')",
    [hashOf(demoSecret(secret)), DEMO.adminId],
  )
  await tx.query("INSERT INTO apps VALUES ($1, 'Payroll', $2)", [DEMO.appId, now])
  await tx.query("INSERT INTO app_users VALUES ($1, $2, $3, 'ghopper', $4)", [
    DEMO.appUserId,
    DEMO.appId,
    DEMO.requesterId,
    now,
  ])
  await tx.query(
    `INSERT INTO app_entitlements (id, app_id, display_name, description, created_at)
     SELECT 'entitlement-' || lpad(n::text, 2, '0'), $1, 'Payroll role ' || lpad(n::text, 2, '0'), '', $2
     FROM generate_series(1, 60) AS n`,
    [DEMO.appId, now],
  )
  await tx.query(
    `INSERT INTO related_objects VALUES
     ('AccessReview', $1, json_build_object('id', $1::text, 'displayName', 'Payroll, fourth quarter')),
     ('Insight', $2, json_build_object('id', $2::text, 'displayName', 'Not used for 90 days'))`,
    [DEMO.reviewId, DEMO.insightId],
  )
}
