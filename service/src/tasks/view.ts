import type { Queryable } from '../database/database.ts'
import { type Caller, mayAct } from '../http/bearer.ts'
import { type Expanded, expand } from './expansion.ts'
import { relationsOf } from './relations.ts'
import type { ExpandPath } from './schema/expand.ts'
import type { Task } from './schema/task.ts'
import { type TaskView, VIEW_PATHS, type ViewPath } from './schema/view.ts'
import { findTask, type TaskRow, withSteps } from './store.ts'
import { taskOf } from './task.ts'

/** Tasks for a caller's response, and the objects that their paths refer to. */
export async function viewTasks(
  database: Queryable,
  rows: readonly TaskRow[],
  caller: Caller,
  paths: ReadonlySet<ExpandPath>,
): Promise<{ list: TaskView[]; expanded: Expanded }> {
  const tasks = (await withSteps(database, rows)).map((stored) => taskOf(stored, caller))
  const related = tasks.map((task) => relationsOf(task, paths))
  const { expanded, pathTo } = await expand(database, related.flat())
  const list = tasks.map((task, index) => {
    const found = (related[index] ?? []).map((relation) => [relation.path, pathTo(relation)])
    return viewOf(task, caller, Object.fromEntries(found))
  })
  return { list, expanded }
}

/** The same for one task. @throws Problem `task_unknown`. */
export async function viewTask(
  database: Queryable,
  idOrNumber: string,
  caller: Caller,
  paths: ReadonlySet<ExpandPath>,
): Promise<{ taskView: TaskView; expanded: Expanded }> {
  const { list, expanded } = await viewTasks(database, [await findTask(database, idOrNumber)], caller, paths)
  return { taskView: list[0] as TaskView, expanded } // one view for each task
}

function viewOf(task: Task, caller: Caller, found: Partial<Record<ViewPath, string>>): TaskView {
  const paths = VIEW_PATHS.map((path) => [path, found[path] ?? ''])
  const skipStep = task.actions?.includes('TASK_ACTION_TYPE_SKIP_STEP') ?? false
  return {
    task,
    objectPermissions: { read: true, edit: mayAct(caller), delete: false, extra: { skipStep } },
    // `fromEntries` loses the key types.
    ...(Object.fromEntries(paths) as Record<ViewPath, string>),
  }
}
