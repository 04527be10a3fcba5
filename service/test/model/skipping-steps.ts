import { badPaths, checkView, randomMask } from './expanding.ts'
import { currentOf, isOpen, refusalsOfSkip, skipped } from './tasks.ts'
import { barred, judge, type World } from './world.ts'

export async function readTask(world: World): Promise<void> {
  const { random, tasks } = world
  const who = random.pick(['viewer', 'operator'] as const)
  const task = random.chance(0.9) && tasks.length > 0 ? random.pick(tasks) : undefined
  const id = task ? random.pick([task.fixed.id, `${task.numericId}`]) : random.pick(['none', '0', '01', '-1'])
  const reply = await world.ask(who, 'GET', `/api/v1/tasks/${id}`)
  if (judge(reply, task ? [] : ['404 task_unknown']) && task)
    checkView(reply.body, task, who, { paths: ['*'] })
}

/** One who skips a step: by API (specification, 4.1). */
export async function skipStep(world: World): Promise<void> {
  const { random } = world
  const who = world.mostly('operator')
  const open = world.tasks.filter(isOpen)
  const task = random.pick(random.chance(0.8) && open.length > 0 ? open : world.tasks)
  const begun = task.steps.map((step) => step.id).filter((each) => each !== '')
  const other = random.pick([currentOf(random.pick(world.tasks))?.id ?? 'none', 'none', ''])
  const policyStepId = random.pick([...Array(4).fill(begun.at(-1)), random.pick(begun), other])
  const comment = random.pick([undefined, null, '', 'because', 'x'.repeat(4_096)])
  const given = { policyStepId, ...(comment !== undefined && { comment }), ...randomMask(random) }
  const id = random.pick([task.fixed.id, `${task.numericId}`, ...random.some(['none'], 0.05)])
  const reply = await world.ask(who, 'POST', `/api/v1/tasks/${id}/action/skip-step`, given)
  const refusals = id === 'none' ? ['404 task_unknown'] : refusalsOfSkip(task, policyStepId)
  const no = barred(who, 'super_admin', 'operator')
  if (!judge(reply, no.length > 0 ? no : [...refusals, ...badPaths(given.expandMask)])) return
  const { ticketActionId, taskView } = reply.body
  const history = { policyStepId, comment: comment ?? '', ticketActionId }
  skipped(world, task, history, taskView.task.policy.current?.id)
  checkView(reply.body, task, who, given.expandMask)
}
