import { type Given, KINDS, type Kind } from './action-kinds.ts'
import { badPaths, checkView, randomMask } from './expanding.ts'
import { currentOf, isOpen, type Task, type TaskStep } from './tasks.ts'
import { adopt, note } from './workflow.ts'
import { barred, judge, same, type World } from './world.ts'

export async function readTask(world: World): Promise<void> {
  const { random, tasks } = world
  const who = random.pick(['viewer', 'operator', 'super_admin'] as const)
  const task = random.chance(0.9) && tasks.length > 0 ? random.pick(tasks) : undefined
  const id = task ? random.pick([task.fixed.id, `${task.numericId}`]) : random.pick(['none', '0', '01', '-1'])
  const reply = await world.ask(who, 'GET', `/api/v1/tasks/${id}`)
  if (judge(reply, task ? [] : ['404 task_unknown']) && task)
    checkView(reply.body, task, who, { paths: ['*'] })
}

/** A user acts on a task through the API (specification, 4.1, and the other actions). */
export async function act(world: World): Promise<void> {
  const { random } = world
  const who = world.mostly(random.pick(['operator', 'super_admin']))
  const open = world.tasks.filter(isOpen)
  const task = random.pick(random.chance(0.8) && open.length > 0 ? open : world.tasks)
  const name = random.pick([...Array(4).fill('skip-step'), ...Object.keys(KINDS), 'approve'])
  const kind = KINDS[name]
  if (kind === undefined) throw new RangeError(name)
  const comment = random.pick([undefined, null, '', 'because', 'x'.repeat(4_096)])
  const given = { ...kind.given?.(world, task), ...(comment !== undefined && { comment }) }
  const mask = randomMask(random)
  const id = random.pick([task.fixed.id, `${task.numericId}`, ...random.some(['none'], 0.05)])
  const reply = await world.ask(who, 'POST', `/api/v1/tasks/${id}/action/${name}`, { ...given, ...mask })
  const refusals = kind.refusals(task, given, who)
  const invalid = refusals.filter((each) => each === '400 request_invalid')
  const own = id === 'none' ? [...invalid, '404 task_unknown'] : refusals
  const no = barred(who, 'super_admin', 'operator')
  if (!judge(reply, no.length > 0 ? no : [...own, ...badPaths(mask.expandMask)])) return
  const { taskView, ticketActionId } = reply.body
  take(world, task, kind, { name, given, id: ticketActionId, comment: comment ?? '' })
  settle(world, task, taskView.task.policy)
  checkView(reply.body, task, who, mask.expandMask)
}

interface Taken {
  readonly name: string
  readonly given: Given
  readonly id: string
  readonly comment: string
  readonly runId?: string
}

/** Records the action and moves the task on, in one transaction. */
function take(world: World, task: Task, kind: Kind, { name, given, id, comment, runId = '' }: Taken): void {
  const step = name === 'comment' ? undefined : currentOf(task)
  const action = name.replace('-', '_').toUpperCase()
  note(world, task, { id, action, comment, step, runId })
  kind.effect(world, task, { by: { userId: 'user-ada', comment }, given })
}

/** After a reassignment, only the reply says which step came of it. */
function settle(world: World, task: Task, shown: Parameters<typeof adopt>[2]): void {
  adopt(world, task, shown)
  for (const [index, step] of task.steps.entries()) {
    const reassigned = step.end?.reassigned
    if (reassigned) Object.assign(reassigned, { newPolicyStepId: followerOf(task.steps, index)?.id })
  }
}

const followerOf = (steps: readonly TaskStep[], index: number) => steps[index + 1]

/** A run skips the current step of a task. */
export function skippedByRun(
  world: World,
  task: Task,
  { id, runId, shown }: { id: string; runId: string; shown: Parameters<typeof adopt>[2] },
): void {
  const kind = KINDS['skip-step']
  if (kind) take(world, task, kind, { name: 'skip-step', given: {}, id, comment: 'by webhook', runId })
  settle(world, task, shown)
}

/** The audit trail of a task, page by page. */
export async function readAudits(world: World): Promise<void> {
  const task = world.random.pick(world.tasks)
  const found: Record<string, string>[] = []
  let token = ''
  do {
    const request = { taskId: `${task.numericId}`, page_size: world.random.pick([10, 25]), page_token: token }
    const { body } = await world.ask('viewer', 'POST', '/api/v1/task/audits', request)
    found.push(...body.list.map(({ taskAudit }) => ({ ...taskAudit }) as unknown as Record<string, string>))
    token = body.nextPageToken
  } while (token !== '')
  same(found, expectedAudits(task, found))
}

function expectedAudits(task: Task, found: readonly Record<string, string>[]): object[] {
  return task.audits.map(({ entry, step, id }, index) => ({
    id: id ?? found[index]?.id,
    ...entry,
    policyStepId: step?.id ?? '',
  }))
}
