import { randomBytes } from 'node:crypto'
import type { Queryable, Transaction } from '../database/database.ts'
import { hashOf, type Role } from '../http/bearer.ts'

export interface NewToken {
  /** The token's user, created if missing, because tasks and actions refer to it. */
  readonly userId: string
  readonly roles: readonly Role[]
  readonly expiresAt: Date | null
}

export interface TokenRow {
  readonly id: string
  readonly user_id: string
  readonly roles: readonly string[]
  readonly expires_at: Date | null
  readonly revoked_at: Date | null
}

/** @returns The token. Only its hash is stored, so it cannot be shown again. */
export async function issueToken(
  tx: Transaction,
  { userId, roles, expiresAt }: NewToken,
  now: Date,
): Promise<string> {
  const [id, secret] = [randomBytes(8).toString('hex'), randomBytes(32).toString('base64url')]
  await tx.query(
    "INSERT INTO users (id, display_name, email, created_at) VALUES ($1, $1, '', $2) ON CONFLICT DO NOTHING",
    [userId, now],
  )
  await tx.query(
    'INSERT INTO access_tokens (id, secret_hash, user_id, roles, expires_at) VALUES ($1, $2, $3, $4, $5)',
    [id, hashOf(secret), userId, roles, expiresAt],
  )
  return `svc_${id}_${secret}`
}

export function allTokens(database: Queryable): Promise<TokenRow[]> {
  return database.query(
    'SELECT id, user_id, roles, expires_at, revoked_at FROM access_tokens ORDER BY user_id, id',
  )
}

/** Revokes a token from the next request on. False if no live token has this ID. */
export async function revokeToken(database: Queryable, id: string, now: Date): Promise<boolean> {
  const revoked = await database.query(
    'UPDATE access_tokens SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL RETURNING id',
    [id, now],
  )
  return revoked.length > 0
}
