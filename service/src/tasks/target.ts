import type { Queryable } from '../database/database.ts'
import { setMembers } from '../http/exactly-one.ts'
import { Problem } from '../http/problem.ts'
import { mustBeKnown, mustExist } from './existence.ts'
import type { CreateTask } from './schema/requests.ts'
import { TASK_KINDS, type TaskKind } from './schema/task-type.ts'

/** What a task requests, and for whom. All objects it names exist. */
export interface Target {
  readonly kind: TaskKind
  readonly fields: Readonly<Record<string, unknown>>
  /** The user whom it targets. Empty if unknown. */
  readonly userId: string
}

/** The member of the type that is set. */
export function kindOf(type: CreateTask['type']): TaskKind {
  const [name] = setMembers(type)[0] ?? []
  const kind = TASK_KINDS.find((each) => each === name)
  if (kind === undefined) throw new Problem('request_invalid', 'Set exactly one member of type.')
  return kind
}

/** @throws Problem `reference_unknown` that names the unknown ID. */
export async function resolveTarget(database: Queryable, type: CreateTask['type']): Promise<Target> {
  const kind = kindOf(type)
  // A certify task belongs to the review that it names (specification, 2.7).
  const owner = type.certify ? { accessReviewSelection: type.certify.accessReviewId } : {}
  const fields: Readonly<Record<string, unknown>> = { ...type[kind], ...owner }
  const [subject, review] = [text(fields.subjectUserId), text(fields.accessReviewId)]
  if (review !== '') await mustBeKnown(database, 'accessReviewId', 'AccessReview', [review])
  if (subject !== '') await mustExist(database, 'subjectUserId', 'users', subject)
  if (fields.appId === undefined) return { kind, fields, userId: subject }
  const identityUserId = await checkApp(database, fields)
  return { kind, fields: { ...fields, identityUserId }, userId: identityUserId }
}

/** @returns The identity user as given, or else the owner of the app user's account. */
async function checkApp(database: Queryable, fields: Readonly<Record<string, unknown>>): Promise<string> {
  const appId = text(fields.appId)
  await mustExist(database, 'appId', 'apps', appId)
  await mustExist(database, 'appEntitlementId', 'app_entitlements', text(fields.appEntitlementId), appId)
  const appUserId = text(fields.appUserId)
  if (appUserId !== '') await mustExist(database, 'appUserId', 'app_users', appUserId, appId)
  const given = text(fields.identityUserId)
  if (given !== '') await mustExist(database, 'identityUserId', 'users', given)
  if (appUserId === '') return given
  const [account] = await database.query<{ identity_user_id: string | null }>(
    'SELECT identity_user_id FROM app_users WHERE id = $1',
    [appUserId],
  )
  const owner = account?.identity_user_id ?? ''
  if (given !== '' && owner !== '' && given !== owner) {
    throw new Problem('reference_unknown', 'appUserId belongs to another user than identityUserId.')
  }
  return given || owner
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
