import { expect, it } from 'vitest'
import { advanceRun } from '../../src/runs/advance.ts'
import { dueStep } from '../../src/runs/due-step.ts'
import { newSender, recordsOf, runOf, sendAccepted, workAll } from '../support/automations.ts'
import { describeService, type Subject } from '../support/databases.ts'

const GRANT = `{"grant": {"appId": "app-payroll", "appEntitlementId": "entitlement-01", "identityUserId": "user-grace"}}`

async function newTask(subject: Subject) {
  const { status, body } = await subject.post('/api/v1/tasks', {
    type: JSON.parse(GRANT),
    policyId: 'policy-grant-three-steps',
  })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.taskView.task
}

const taskOf = async (subject: Subject, id: string) =>
  (await subject.get(`/api/v1/tasks/${id}`)).body.taskView.task

describeService('the steps of a run', (subject) => {
  /** Sends one event to a new automation, works on it, and returns the run. */
  async function runWith(steps: object[], body: unknown) {
    const sender = await newSender(subject, { steps })
    await sendAccepted(subject, sender, body)
    await workAll(subject)
    const run = await runOf(subject, sender)
    return { ...run, sender }
  }
  const outcomeOf = (run: { steps: { outcome: string }[] }, position = 0) =>
    JSON.parse(run.steps[position]?.outcome ?? 'null')

  it('skip_step: skips the step that the webhook names', async () => {
    const task = await newTask(subject)
    const step = {
      type: 'skip_step',
      taskIdCel: 'ctx.trigger.task',
      policyStepIdCel: 'ctx.trigger["step id"]',
      commentCel: '"by " + ctx.trigger.who',
    }
    const body = { task: task.id, 'step id': task.policy.current.id, who: 'payroll' }
    const run = await runWith([step], body)
    expect(run.state).toBe('RUN_STATE_SUCCEEDED')
    const after = await taskOf(subject, task.id)
    expect(after.policy.history).toMatchObject([
      { id: task.policy.current.id, state: 'POLICY_STEP_STATE_DONE' },
    ])
    expect(after.policy.current.id).not.toBe(task.policy.current.id)
    const { body: actions } = await subject.get(`/api/v1/tasks/${task.id}/actions`)
    expect(actions.list).toMatchObject([
      { taskAction: { id: outcomeOf(run).ticketActionId, comment: 'by payroll', userId: 'user-ada' } },
    ])
  })

  it('create_task: fails on a body that is nested too deeply', async () => {
    const data = JSON.parse('['.repeat(4000) + ']'.repeat(4000))
    const run = await runWith([{ type: 'create_task', taskCel: `{"type": ${GRANT}, "data": ctx.trigger}` }], {
      data,
    })
    expect([run.state, run.steps[0].error.code]).toStrictEqual(['RUN_STATE_FAILED', 'request_invalid'])
  })

  it('record: fails at the first attempt if the result is nested too deeply', async () => {
    const sender = await newSender(subject)
    const { body } = await sendAccepted(subject, sender)
    const due = await dueStep(subject.database, body.runId)
    if (due === undefined) throw new Error('the run has no due step')
    const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)
    await subject.database.transaction((tx) => advanceRun(tx, subject.dependencies, due, async () => deep))
    const { state, steps } = await runOf(subject, sender)
    expect([state, steps[0].error.code]).toStrictEqual(['RUN_STATE_FAILED', 'expression_failed'])
    await workAll(subject)
  })

  it.each([
    ['as a text', (numericId: string) => numericId],
    ['as a JSON number', Number],
  ])('skip_step: takes the numeric ID %s and skips the current step by default', async (_, write) => {
    const task = await newTask(subject)
    const run = await runWith([{ type: 'skip_step', taskIdCel: 'ctx.trigger.number' }], {
      number: write(task.numericId),
    })
    expect(outcomeOf(run)).toMatchObject({ taskId: task.id, policyStepId: task.policy.current.id })
  })

  it('skip_step: counts characters as the API does, so 4,096 emoji fit in a comment', async () => {
    const step = { type: 'skip_step', taskIdCel: 'ctx.trigger.task', commentCel: 'ctx.trigger.who' }
    const skip = async (who: string) => {
      const task = await newTask(subject)
      const byApi = await subject.post(`/api/v1/tasks/${task.id}/action/skip-step`, {
        policyStepId: task.policy.current.id,
        comment: who,
      })
      const run = await runWith([step], { task: task.id, who })
      return [byApi.status, run.steps[0].error?.code]
    }
    expect(await skip('😀'.repeat(4_096))).toStrictEqual([200, undefined])
    expect(await skip('😀'.repeat(4_097))).toStrictEqual([400, 'request_invalid'])
  })

  it('skip_step: finishes the task at the third call, and explains why a fourth fails', async () => {
    const task = await newTask(subject)
    const skip = { type: 'skip_step', taskIdCel: 'ctx.trigger' }
    const run = await runWith([skip, skip, skip, skip], JSON.stringify(task.id))
    expect(run.steps.map(({ state }) => state.split('_').at(-1))).toStrictEqual([
      'DONE',
      'DONE',
      'DONE',
      'FAILED',
    ])
    expect(run.steps[3]?.error).toMatchObject({ code: 'task_closed' })
    expect([run.state, (await taskOf(subject, task.id)).state]).toStrictEqual([
      'RUN_STATE_FAILED',
      'TASK_STATE_CLOSED',
    ])
  })

  it('create_task: creates the task that CEL builds, on behalf of the automation', async () => {
    const taskCel = `{"displayName": "Access for " + ctx.trigger.user, "type": ${GRANT}, "data": ctx.trigger}`
    const run = await runWith([{ type: 'create_task', taskCel }], { user: 'grace', n: 1.5 })
    expect(await taskOf(subject, outcomeOf(run).taskId)).toMatchObject({
      displayName: 'Access for grace',
      origin: 'TASK_ORIGIN_AUTOMATION',
      createdByUserId: 'user-ada',
      data: { user: 'grace', n: 1.5 },
      state: 'TASK_STATE_OPEN',
    })
  })

  it.each([
    ['a member that is missing', { type: 'record', valueCel: 'ctx.trigger.missing' }, 'expression_failed'],
    [
      'a JSON number and an integer',
      { type: 'record', valueCel: 'ctx.trigger.count + 1' },
      'expression_failed',
    ],
    [
      'a function of JavaScript',
      { type: 'record', valueCel: 'ctx.trigger.constructor' },
      'expression_failed',
    ],
    ['a task that does not exist', { type: 'skip_step', taskIdCel: '"nothing"' }, 'task_unknown'],
    ['a fraction for a task', { type: 'skip_step', taskIdCel: '1.5' }, 'expression_failed'],
    [
      'another task’s step',
      { type: 'skip_step', taskIdCel: '1', policyStepIdCel: '"x"' },
      'policy_step_unknown',
    ],
    [
      'a number for a step',
      { type: 'skip_step', taskIdCel: '1', policyStepIdCel: 'ctx.trigger.count' },
      'expression_failed',
    ],
    ['no task', { type: 'create_task', taskCel: 'ctx.trigger' }, 'request_invalid'],
    [
      'an unknown app',
      {
        type: 'create_task',
        taskCel: GRANT.replace('app-payroll', 'none').replace(/^(.*)$/, '{"type": $1}'),
      },
      'reference_unknown',
    ],
    [
      'a string that Postgres cannot store',
      { type: 'create_task', taskCel: `{"displayName": ctx.trigger.nul, "type": ${GRANT}}` },
      'text_not_storable',
    ],
    [
      'a lone surrogate',
      { type: 'create_task', taskCel: `{"displayName": ctx.trigger.half, "type": ${GRANT}}` },
      'text_not_storable',
    ],
    [
      'a comment of 4,097 characters',
      { type: 'skip_step', taskIdCel: '1', commentCel: 'ctx.trigger.long' },
      'request_invalid',
    ],
  ])('a step fails without a retry on %s, and later steps are skipped', async (_, step, code) => {
    const run = await runWith(
      [{ type: 'record', valueCel: '"before"' }, step, { type: 'record', valueCel: '"after"' }],
      {
        count: 3,
        nul: 'a\0b',
        half: '\ud800',
        long: 'x'.repeat(4_097),
      },
    )
    expect([run.state, run.steps.length, run.finishedAt]).toStrictEqual([
      'RUN_STATE_FAILED',
      2,
      expect.any(String),
    ])
    expect(run.steps[1]).toMatchObject({ state: 'RUN_STEP_STATE_FAILED', outcome: null, error: { code } })
    expect(run.steps[1]?.error.detail.length).toBeGreaterThan(10)
    expect(await recordsOf(subject, run.sender)).toStrictEqual(['before'])
    expect(await subject.runs.take()).toBeUndefined()
  })

  it('the writes of a failed step are rolled back', async () => {
    const count = async () => (await subject.database.query('SELECT FROM tasks')).length
    const before = await count()
    const long = `"${'x'.repeat(300)}"`
    await runWith([{ type: 'create_task', taskCel: `{"displayName": ${long}, "type": ${GRANT}}` }], {})
    expect(await count()).toBe(before)
  })

  it('a number beyond doubles is treated as infinite, and never recorded as null', async () => {
    const run = await runWith(
      [
        { type: 'record', valueCel: 'ctx.trigger.n > 1.0 && -ctx.trigger.n < 1.0 && ctx.trigger.n != null' },
        { type: 'record', valueCel: 'ctx.trigger' },
      ],
      '{"n":1e400}',
    )
    expect(await recordsOf(subject, run.sender)).toStrictEqual([true])
    expect(run.steps[1]?.error).toMatchObject({ code: 'expression_failed', detail: /JSON cannot represent/ })
  })

  it('record: keeps values that jsonb would refuse', async () => {
    const run = await runWith([{ type: 'record', valueCel: 'ctx.trigger' }], {
      nul: '\0',
      half: '\ud800',
      big: 1e300,
    })
    expect(await recordsOf(subject, run.sender)).toStrictEqual([{ nul: '\0', half: '\ud800', big: 1e300 }])
  })
})
