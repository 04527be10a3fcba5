import type { Queryable } from '../database/database.ts'
import { type Caller, mayAct } from '../http/bearer.ts'
import { Expansion, type Relation } from './expansion.ts'
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
): Promise<{ list: TaskView[]; expanded: Expansion['expanded'] }> {
  const tasks = (await withSteps(database, rows)).map((stored) => taskOf(stored, caller))
  const related = tasks.map((task) => relationsOf(task, paths))
  const expansion = await Expansion.load(database, related.flat())
  const list = tasks.map((task, index) => viewOf(task, caller, related[index] ?? [], expansion))
  return { list, expanded: expansion.expanded }
}

/** The same for one task. @throws Problem `task_unknown`. */
export async function viewTask(
  database: Queryable,
  idOrNumber: string,
  caller: Caller,
  paths: ReadonlySet<ExpandPath>,
): Promise<{ taskView: TaskView; expanded: Expansion['expanded'] }> {
  const { list, expanded } = await viewTasks(database, [await findTask(database, idOrNumber)], caller, paths)
  return { taskView: list[0] as TaskView, expanded } // one view for each task
}

function viewOf(task: Task, caller: Caller, relations: readonly Relation[], expansion: Expansion): TaskView {
  const found = new Map(relations.map((relation) => [relation.path, expansion.pathTo(relation)]))
  const paths = VIEW_PATHS.map((path) => [path, found.get(path) ?? ''])
  const skipStep = task.actions?.includes('TASK_ACTION_TYPE_SKIP_STEP') ?? false
  return {
    task,
    objectPermissions: { read: true, edit: mayAct(caller), delete: false, extra: { skipStep } },
    // `fromEntries` loses the key types.
    ...(Object.fromEntries(paths) as Record<ViewPath, string>),
  }
}
