import { expect } from 'vitest'
import { memberOf } from '../../src/member-of.ts'
import { EXPAND_PATHS } from '../../src/tasks/schema/expand.ts'
import type { ReplyBody } from '../support/reply.ts'
import { actorsOf, isOpen, type Task, taskOf } from './tasks.ts'
import { barred, same, type Who, type World } from './world.ts'

type Mask = { readonly paths?: readonly string[] | null } | null | undefined

/** The existing objects by type. In the model, their names serve as IDs. */
const THERE: Readonly<Record<string, readonly string[]>> = {
  User: ['user-ada', 'user-grace', 'user-alan'],
  AccessReview: ['review-1'],
  Insight: ['insight-1', 'insight-2'],
  AppResource: ['resource-1'],
  EntitlementScopeBindingList: ['bindings-01'],
}

export function randomMask(random: World['random']): { expandMask?: Mask } {
  if (random.chance(0.3)) return {}
  const paths = random.some([...EXPAND_PATHS, '*', ...random.some(['everything'], 0.05)], 0.3)
  return { expandMask: random.pick([{ paths }, { paths }, { paths }, { paths: null }, {}, null]) }
}

export function badPaths(mask: Mask): string[] {
  return mask?.paths?.includes('everything') ? ['400 expand_path_unknown'] : []
}

/** The object that each path of the mask locates (specification, 2.2 and 2.4). */
function located(task: Task): Record<string, [path: string, type: string, ids: readonly unknown[]]> {
  const { appId, appUserId, identityUserId, appEntitlementId, accessReviewId } = task.target
  return {
    access_review_id: ['accessReviewPath', 'AccessReview', [accessReviewId]],
    user_id: ['userPath', 'User', appUserId ? [] : [task.fixed.userId]],
    created_by_user_id: ['createdByUserPath', 'User', ['user-ada']],
    app_id: ['appPath', 'App', [appId]],
    app_user_id: ['appUserPath', 'AppUser', [appUserId]],
    app_entitlement_ids: ['entitlementsPath', 'AppEntitlement', [appEntitlementId]],
    step_approver_ids: ['stepApproversPath', 'User', actorsOf(task)],
    approver_ids: ['approversPath', 'User', task.approverIds],
    identity_user_id: ['identityUserPath', 'User', appUserId ? [identityUserId] : []],
    insight_ids: ['insightsPath', 'Insight', task.fixed.insightIds as string[]],
    app_user_last_usage: ['appUserLastUsagePath', 'Timestamp', appUserId ? ['last usage'] : []],
    entitlement_scope_bindings: [
      'resourceBindingsPath',
      'EntitlementScopeBindingList',
      [appEntitlementId === 'entitlement-01' && 'bindings-01'],
    ],
    scope_role_resources: ['roleResourcePath', 'AppResource', []],
    resource: [
      'principalResourcePath',
      'AppResource',
      [task.kind === 'certify' && memberOf(task.target.resource, 'id')],
    ],
  }
}

/** A TaskView without its paths. */
export function viewOf(task: Task, who: Who) {
  const mayAct = barred(who, 'super_admin', 'operator').length === 0
  const extra = { skipStep: mayAct && isOpen(task) }
  return {
    task: taskOf(task, who),
    objectPermissions: { read: true, edit: mayAct, delete: false, extra },
  }
}

/** A TaskView, and an `expanded` with exactly the objects that its paths locate, each once. */
export function checkView({ taskView, expanded }: ReplyBody, task: Task, who: Who, mask: Mask): void {
  const { task: shown, objectPermissions, ...paths } = taskView
  same({ task: shown, objectPermissions }, viewOf(task, who))
  const used = new Set<unknown>()
  same(namesAt(paths, expanded, used), expectedAt(task, mask))
  expect(used.size, 'what is expanded is located').toBe(expanded.length)
  expect(new Set(expanded.map((each) => JSON.stringify(each))).size, 'each is there once').toBe(
    expanded.length,
  )
}

function expectedAt(task: Task, mask: Mask): Record<string, string[]> {
  const asked = mask?.paths?.includes('*') ? EXPAND_PATHS : (mask?.paths ?? [])
  const there = (type: string, id: unknown) => Boolean(id) && (THERE[type]?.includes(`${id}`) ?? true)
  const all = Object.entries(located(task)).flatMap(([name, [path, type, ids]]) => {
    const names = ids.filter((id) => there(type, id)).map((id) => `${type} ${id}`)
    return asked.includes(name as never) && names.length > 0 ? [[path, names] as const] : []
  })
  return Object.fromEntries(all)
}

/** The objects that the non-empty paths locate. */
function namesAt(paths: object, expanded: readonly object[], used: Set<unknown>): Record<string, string[]> {
  const set = Object.entries(paths).filter(([, path]) => path !== '')
  const found = set.map(([name, path]) => {
    const [, places = ''] = /^\$\.expanded\[([\d,]+)\]$/.exec(`${path}`) ?? []
    const names = places.split(',').map((place) => {
      used.add(Number(place))
      const { '@type': type = '', id = 'last usage' } = { ...expanded[Number(place)] } as Record<
        string,
        string
      >
      return `${type.split('.').at(-1)} ${id}`
    })
    return [name, names]
  })
  return Object.fromEntries(found)
}
