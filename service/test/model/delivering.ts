import { signHmac } from 'hookgate/testing'
import { workAll } from '../support/automations.ts'
import { replyOf } from '../support/reply.ts'
import { skippedByRun } from './acting.ts'
import { type Automation, PATH } from './automations.ts'
import { currentOf, isOpen } from './tasks.ts'
import { judge, same, type World } from './world.ts'

/** An accepted event. */
export interface Event {
  readonly id: string
  readonly listenerId: string
}

/** Delivers an event: new or not, right or wrong. Then waits for all jobs, and checks the run. */
export async function deliver(world: World): Promise<void> {
  const { random, automations, deleted, events, subject } = world
  if (automations.length === 0) return
  const automation = random.pick(random.chance(0.95) || deleted.length === 0 ? automations : deleted)
  const { listenerId, secrets } = automation
  const id = random.chance(0.2) && events.length > 0 ? random.pick(events).id : crypto.randomUUID()
  const off = random.chance(0.7) ? 0 : random.pick([300, -300, 301, -301])
  const { secret } = random.pick(random.chance(0.9) ? secrets : random.pick(automations).secrets)
  const task = random.chance(0.9) ? random.pick(world.tasks).numericId : 0
  const body = random.chance(0.95) ? `{"task":${task},"a value":${random.below(9)}}` : '{"task":'
  const timestamp = Math.floor(subject.clock.now() / 1000) + off
  const request = await signHmac({
    secret,
    body,
    timestamp,
    eventId: random.chance(0.5) ? id : id.toUpperCase(),
  })
  const reply = await world.told(`webhook ${listenerId} ${id} ${off} ${body}`, async () =>
    replyOf(await subject.app.request(`/api/v1/webhooks/incoming/${listenerId}`, request)),
  )
  const isDeleted = deleted.includes(automation)
  const no = isDeleted ? ['404 listener_unknown'] : refusals(automation, { id, off, secret, body }, events)
  if (!judge(reply, no)) return
  events.push({ id, listenerId })
  await workAll(subject)
  await checkRun(world, automation, reply.body.runId, { task, body, id })
}

/** Without a valid signature, a sender learns nothing of events and automations. */
function refusals(
  { listenerId, secrets, enabled, published }: Automation,
  { id, off, secret, body }: { id: string; off: number; secret: string; body: string },
  events: readonly Event[],
): string[] {
  const wrong = [
    ...(body === '{"task":' ? ['400 body_not_json'] : []),
    ...(Math.abs(off) > 300 ? ['400 timestamp_out_of_range'] : []),
    ...(secrets.some((each) => each.secret === secret) ? [] : ['401 unauthorized']),
  ]
  if (wrong.length > 0) return wrong
  if (events.some((event) => event.id === id && event.listenerId === listenerId))
    return ['409 event_duplicate']
  return enabled && published ? [] : ['503 automation_not_running']
}

async function checkRun(
  world: World,
  automation: Automation,
  runId: string,
  { task: number, body, id }: { task: number; body: string; id: string },
): Promise<void> {
  const reply = await world.ask('super_admin', 'GET', `/api/v1/runs/${world.fresh(runId)}`)
  judge(reply, [])
  const run = reply.body as unknown as Run
  const { steps } = run
  for (const [index, { type }] of (automation.published ?? []).entries()) {
    const [step, isOver] = [steps[index], index + 1 === steps.length]
    const code = type === 'skip_step' ? await checkSkip(world, { number, runId }, step) : undefined
    if (type === 'record') automation.records.unshift(JSON.parse(body)['a value'])
    same(
      [step?.type, step?.state, step?.error?.code],
      [type, `RUN_STEP_STATE_${code ? 'FAILED' : 'DONE'}`, code],
    )
    if (code) same(isOver, true)
    if (code) break
  }
  const failed = steps.some(({ error }) => error !== null)
  same(
    [run.eventId, run.input, run.version, run.state],
    [id, body, automation.version, `RUN_STATE_${failed ? 'FAILED' : 'SUCCEEDED'}`],
  )
  if (!failed) same(steps.length, automation.published?.length)
  const kept = await world.ask('super_admin', 'GET', `${PATH}/${automation.id}/records?page_size=100`)
  same(
    kept.body.list.map(({ record }) => JSON.parse(record.value)),
    automation.records.slice(0, 100),
  )
}

interface Run {
  readonly eventId: string
  readonly input: string
  readonly version: number
  readonly state: string
  readonly steps: readonly { type: string; state: string; outcome: string; error: { code: string } | null }[]
}

/** @returns Why the run fails. If it does not, the model's task has moved on too. */
async function checkSkip(
  world: World,
  { number: numericId, runId }: { number: number; runId: string },
  step: Run['steps'][number] | undefined,
): Promise<string | undefined> {
  const task = world.tasks.find((each) => each.numericId === numericId)
  if (task === undefined) return 'task_unknown'
  if (!isOpen(task)) return 'task_closed'
  const { taskId, ticketActionId, policyStepId } = JSON.parse(step?.outcome ?? '{}')
  same([taskId, policyStepId], [task.fixed.id, currentOf(task)?.id])
  const { body } = await world.ask('viewer', 'GET', `/api/v1/tasks/${numericId}`)
  skippedByRun(world, task, { id: ticketActionId, runId, shown: body.taskView.task.policy })
  return undefined
}
