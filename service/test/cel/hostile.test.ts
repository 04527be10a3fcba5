import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { rememberedCel } from '../../src/cel/evaluate.ts'
import { planTask } from '../../src/tasks/plan-task.ts'
import { newSender, runOf, sendAccepted, workOnNext } from '../support/automations.ts'
import { describeService, type Subject } from '../support/databases.ts'

/** How many other requests, one after the other, are answered before the work is done. */
async function answeredDuring(subject: Subject, work: Promise<unknown>): Promise<number> {
  let working = true
  const done = work.finally(() => {
    working = false
  })
  let answered = 0
  while (working) {
    const { status } = await subject.get('/api/v1/tasks/1')
    if (working && status === 200) answered += 1
    await pause(10)
  }
  await done
  return answered
}

const LIST = `[${Array.from({ length: 20 }, (_, number) => number)}]`
const TRAP = `${Array.from('abcdefg', (name) => `${LIST}.all(${name}, `).join('')}true${')'.repeat(7)}`
const grant = { appId: 'app-payroll', appEntitlementId: 'entitlement-01' }

describeService('a policy with a hostile rule', (subject) => {
  const policy = async (condition: string) => {
    const policySteps = { grant: { steps: [{ approval: { userIds: ['user-ada'] } }] } }
    const { body } = await subject.post('/api/v1/policies', {
      displayName: 'trap',
      policyType: 'POLICY_TYPE_GRANT',
      policySteps,
      rules: [{ condition, policyKey: 'grant' }],
    })
    return body.policy.id
  }

  it('a hostile rule does not block other requests, and its task is refused', async () => {
    const policyId = await policy(TRAP)
    const reply = subject.post('/api/v1/tasks', { type: { grant }, policyId })
    expect(await answeredDuring(subject, reply)).toBeGreaterThan(3)
    expect((await reply).body).toMatchObject({ status: 409, code: 'policy_rule_failed' })
  })

  it('a hostile rule does not block other requests when an automation creates the task', async () => {
    const policyId = await policy(TRAP)
    const taskCel = `{"type": {"grant": ctx.trigger.grant}, "policyId": ctx.trigger.policyId}`
    const sender = await newSender(subject, { steps: [{ type: 'create_task', taskCel }] })
    await sendAccepted(subject, sender, { grant, policyId })
    expect(await answeredDuring(subject, workOnNext(subject.dependencies))).toBeGreaterThan(3)
    expect((await runOf(subject, sender)).steps[0].error.code).toBe('policy_rule_failed')
  })

  it('a hostile rule is evaluated again if the rule changes before the transaction', async () => {
    const policyId = await policy('ctx.task.data.missing')
    const given = { type: { grant }, policyId }
    const evaluate = rememberedCel()
    await expect(planTask(subject.database, given, evaluate)).rejects.toThrow('rule 1')
    await subject.patch(`/api/v1/policies/${policyId}`, {
      rules: [{ condition: 'true', policyKey: 'grant' }],
    })
    const { workflow } = await planTask(subject.database, given, evaluate)
    expect(workflow.steps).toHaveLength(1)
  })
})

describeService('a run with a hostile expression', (subject) => {
  it('a hostile run does not block other requests, and its step fails', async () => {
    const steps = [{ type: 'record', valueCel: TRAP }]
    const sender = await newSender(subject, { steps })
    await sendAccepted(subject, sender)
    expect(await answeredDuring(subject, workOnNext(subject.dependencies))).toBeGreaterThan(3)
    const { state, steps: done } = await runOf(subject, sender)
    expect([state, done[0].error.detail]).toStrictEqual([
      'RUN_STATE_FAILED',
      'took longer than 1000 ms and was stopped',
    ])
  })
})
