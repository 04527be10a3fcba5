import type { Queryable } from '../database/database.ts'
import { mustExist } from '../directory/objects.ts'
import { setMembers } from '../http/exactly-one.ts'
import { Problem } from '../http/problem.ts'
import type { CreateTask } from './schema/requests.ts'
import { TASK_KINDS, type TaskKind } from './schema/task-type.ts'

/** What a task requests, and for whom. All objects it names exist. */
export interface Target {
  readonly kind: TaskKind
  readonly fields: Fields
  /** The user whom it targets. Empty if unknown. */
  readonly userId: string
}

/** The fields that name other objects. */
const REFERENCES = {
  accessReviewId: 'AccessReview',
  appEntitlementId: 'AppEntitlement',
  appId: 'App',
  appUserId: 'AppUser',
  identityUserId: 'User',
  subjectUserId: 'User',
} as const
type Reference = keyof typeof REFERENCES

/** The set member of a task's type. Its kind has some of the references, and other fields. */
type Fields = { readonly [Name in Reference]?: string | undefined } & { readonly [name: string]: unknown }

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
  const fields: Fields = { ...type[kind], ...owner }
  const { appId, identityUserId, subjectUserId } = fields
  const find = async (name: Reference, ofApp?: string) => {
    const id = fields[name]
    return id === undefined ? [] : mustExist(database, name, REFERENCES[name], [id], ofApp)
  }
  await find('accessReviewId')
  if (subjectUserId !== '') await find('subjectUserId')
  await find('appId')
  await find('appEntitlementId', appId)
  const [appUser] = await find('appUserId', appId)
  await find('identityUserId')
  if (appId === undefined) return { kind, fields, userId: subjectUserId ?? '' }
  const account = `${appUser?.object.identityUserId ?? ''}`
  if (identityUserId !== undefined && account !== '' && account !== identityUserId) {
    throw new Problem('reference_unknown', 'appUserId belongs to another user than identityUserId.')
  }
  const userId = identityUserId ?? account
  return { kind, fields: { ...fields, identityUserId: userId }, userId }
}
