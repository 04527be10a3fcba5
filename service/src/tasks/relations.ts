import { memberOf } from '../member-of.ts'
import type { ExpandPath } from './schema/expand.ts'
import type { Task } from './schema/task.ts'
import type { ViewPath } from './schema/view.ts'

/** The kinds of objects to expand. */
export type Kind =
  | 'AccessReview'
  | 'App'
  | 'AppEntitlement'
  | 'AppResource'
  | 'AppUser'
  | 'AppUserLastUsage'
  | 'EntitlementScopeBindingList'
  | 'Insight'
  | 'User'

/** A path of the view, and the object it locates. */
export interface Relation {
  readonly path: ViewPath
  readonly kind: Kind
  readonly ids: readonly string[]
}

/** The fields of the task's type. */
function targetOf({ type }: Task): Readonly<Record<string, unknown>> {
  const { grant, revoke, certify, offboarding, action, finding } = type ?? {}
  return { ...(grant ?? revoke ?? certify ?? offboarding ?? action ?? finding) }
}

function textOf(holder: unknown, name: string): string {
  const member = memberOf(holder, name)
  return typeof member === 'string' ? member : ''
}

/**
 * The rows of all expand paths (specification, 2.2 and 2.4). A user targeted through an app user is the `identityUser`,
 * any other the `user`. Entitlement scope bindings have the entitlement's ID, last usages the app user's.
 */
const RELATIONS: Readonly<Record<ExpandPath, (task: Task) => readonly Relation[]>> = {
  access_review_id: (task) =>
    one('accessReviewPath', 'AccessReview', textOf(targetOf(task), 'accessReviewId')),
  user_id: (task) => one('userPath', 'User', appUserOf(task) === '' ? task.userId : ''),
  created_by_user_id: (task) => one('createdByUserPath', 'User', task.createdByUserId),
  app_id: (task) => one('appPath', 'App', textOf(targetOf(task), 'appId')),
  app_user_id: (task) => one('appUserPath', 'AppUser', appUserOf(task)),
  app_entitlement_ids: (task) => many('entitlementsPath', 'AppEntitlement', entitlementsOf(task)),
  step_approver_ids: (task) => many('stepApproversPath', 'User', task.stepApproverIds),
  approver_ids: (task) => many('approversPath', 'User', task.approverIds),
  identity_user_id: (task) => one('identityUserPath', 'User', appUserOf(task) === '' ? '' : identityOf(task)),
  insight_ids: (task) => many('insightsPath', 'Insight', task.insightIds),
  app_user_last_usage: (task) => one('appUserLastUsagePath', 'AppUserLastUsage', appUserOf(task)),
  entitlement_scope_bindings: (task) =>
    many('resourceBindingsPath', 'EntitlementScopeBindingList', entitlementsOf(task)),
  scope_role_resources: (task) => [
    ...one('roleResourcePath', 'AppResource', textOf(targetOf(task).scopeRole, 'roleResourceId')),
    ...one('scopeResourcePath', 'AppResource', textOf(targetOf(task).scopeRole, 'scopeResourceId')),
  ],
  resource: ({ type }) => one('principalResourcePath', 'AppResource', textOf(type?.certify?.resource, 'id')),
}

/** Finds the related objects of a task along these paths. */
export function relationsOf(task: Task, paths: ReadonlySet<ExpandPath>): Relation[] {
  return [...paths].flatMap((path) => RELATIONS[path](task))
}

function one(path: ViewPath, kind: Kind, id: string): Relation[] {
  return id === '' ? [] : [{ path, kind, ids: [id] }]
}

function many(path: ViewPath, kind: Kind, ids: readonly string[] | null): Relation[] {
  return [{ path, kind, ids: ids ?? [] }]
}

function appUserOf(task: Task): string {
  return textOf(targetOf(task), 'appUserId')
}

function identityOf(task: Task): string {
  return textOf(targetOf(task), 'identityUserId')
}

function entitlementsOf({ type, ...task }: Task): string[] {
  const created = type?.action?.createdAppEntitlementIds ?? []
  const own = textOf(targetOf({ type, ...task }), 'appEntitlementId')
  return own === '' ? created : [own]
}
