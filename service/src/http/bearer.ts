import { createHash, timingSafeEqual } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import type { Queryable } from '../database/database.ts'
import type { Dependencies } from './dependencies.ts'
import { Problem } from './problem.ts'

/** `super_admin` may do everything, `operator` may act on tasks, `viewer` may read. */
export const ROLES = ['super_admin', 'operator', 'viewer'] as const
export type Role = (typeof ROLES)[number]

/** The user of the request, or the user on whose behalf a run acts. */
export interface Caller {
  readonly userId: string
  readonly roles: readonly string[]
  /** Whether the user may skip a step that names other approvers. */
  readonly skipsAnyStep: boolean
  /** The run that acts for the user. Absent for API requests. */
  readonly runId?: string
}

/** The environment of every route behind `bearer()`: `c.var.caller`, and `c.var.requestId` of all routes. */
export interface Env {
  Variables: { caller: Caller; requestId: string }
}

/** `svc_<id>_<secret>`: the ID finds the record, so the secret is never looked up, only compared in constant time. */
const TOKEN = /^Bearer +svc_([a-z0-9]{1,32})_([\w-]{43})$/i

/** Compared for unknown IDs, so that they take the same time. */
const NOBODY = Buffer.alloc(32)

export function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/** Requires a token that is known, not revoked and not expired. */
export function bearer({ database, clock, config }: Dependencies): MiddlewareHandler<Env> {
  return async (c, next) => {
    const token = await tokenOf(database, c.req.header('authorization') ?? '', clock.now())
    if (token === undefined) throw new Problem('unauthorized', 'Send `Authorization: Bearer <token>`.')
    const skipsAnyStep = token.roles.includes('super_admin') || config.SERVICE_SKIP_STEP === 'operators'
    c.set('caller', { ...token, skipsAnyStep })
    await next()
  }
}

/** Finds the caller by the token of an `Authorization` header. Undefined if it is unknown, revoked or expired. */
export async function tokenOf(
  database: Queryable,
  header: string,
  nowMs: number,
): Promise<Pick<Caller, 'userId' | 'roles'> | undefined> {
  const [, id, secret] = TOKEN.exec(header) ?? []
  if (id === undefined || secret === undefined) return undefined
  const [token] = await database.query<{ hash: Uint8Array; user_id: string; roles: string[] }>(
    `SELECT secret_hash AS hash, user_id, roles FROM access_tokens
     WHERE id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)`,
    [id, new Date(nowMs)],
  )
  const same = timingSafeEqual(hashOf(secret), token?.hash ?? NOBODY)
  return same && token ? { userId: token.user_id, roles: token.roles } : undefined
}

export function mayAct(caller: Pick<Caller, 'roles'>): boolean {
  return caller.roles.includes('super_admin') || caller.roles.includes('operator')
}

/** @throws Problem `forbidden` unless the caller has one of the roles. */
export function requireRole(caller: Caller, ...roles: readonly Role[]): void {
  if (roles.some((role) => caller.roles.includes(role))) return
  throw new Problem('forbidden', `This requires the role ${roles.join(' or ')}.`)
}
