import type { Kind } from '../directory/objects.ts'
import { memberOf } from '../member-of.ts'
import type { Relation } from './expansion.ts'
import type { ExpandPath } from './schema/expand.ts'
import type { Task } from './schema/task.ts'
import type { ViewPath } from './schema/view.ts'

/**
 * The rows of all expand paths (specification, 2.2 and 2.4). A user targeted through an app user is the `identityUser`,
 * any other the `user`. Entitlement scope bindings have the entitlement's ID, last usages the app user's.
 */
const RELATIONS: Readonly<Record<ExpandPath, (task: Task) => readonly Relation[]>> = {
  access_review_id: (task) => to('accessReviewPath', 'AccessReview', targetId(task, 'accessReviewId')),
  user_id: (task) => to('userPath', 'User', targetId(task, 'appUserId') === '' ? task.userId : ''),
  created_by_user_id: (task) => to('createdByUserPath', 'User', task.createdByUserId),
  app_id: (task) => to('appPath', 'App', targetId(task, 'appId')),
  app_user_id: (task) => to('appUserPath', 'AppUser', targetId(task, 'appUserId')),
  app_entitlement_ids: (task) => to('entitlementsPath', 'AppEntitlement', ...entitlementsOf(task)),
  step_approver_ids: (task) => to('stepApproversPath', 'User', ...(task.stepApproverIds ?? [])),
  approver_ids: (task) => to('approversPath', 'User', ...(task.approverIds ?? [])),
  identity_user_id: (task) =>
    to(
      'identityUserPath',
      'User',
      targetId(task, 'appUserId') === '' ? '' : targetId(task, 'identityUserId'),
    ),
  insight_ids: (task) => to('insightsPath', 'Insight', ...(task.insightIds ?? [])),
  app_user_last_usage: (task) => to('appUserLastUsagePath', 'AppUserLastUsage', targetId(task, 'appUserId')),
  entitlement_scope_bindings: (task) =>
    to('resourceBindingsPath', 'EntitlementScopeBindingList', ...entitlementsOf(task)),
  scope_role_resources: ({ type }) => [
    ...to('roleResourcePath', 'AppResource', idIn(type?.action?.scopeRole, 'roleResourceId')),
    ...to('scopeResourcePath', 'AppResource', idIn(type?.action?.scopeRole, 'scopeResourceId')),
  ],
  resource: ({ type }) => to('principalResourcePath', 'AppResource', idIn(type?.certify?.resource, 'id')),
}

/** Finds the related objects of a task along these paths. */
export function relationsOf(task: Task, paths: ReadonlySet<ExpandPath>): Relation[] {
  return [...paths].flatMap((path) => RELATIONS[path](task))
}

function to(path: ViewPath, kind: Kind, ...ids: readonly string[]): Relation[] {
  return [{ path, kind, ids: ids.filter((id) => id !== '') }]
}

function entitlementsOf(task: Task): string[] {
  const own = targetId(task, 'appEntitlementId')
  return own === '' ? (task.type?.action?.createdAppEntitlementIds ?? []) : [own]
}

/** An ID in the task's type. Empty if its kind has none. */
function targetId({ type }: Task, name: string): string {
  const set = Object.values(type ?? {}).find((member) => member !== null)
  return idIn(set, name)
}

function idIn(holder: unknown, name: string): string {
  const member = memberOf(holder, name)
  return typeof member === 'string' ? member : ''
}
