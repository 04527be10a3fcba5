import { expect, it } from 'vitest'
import { evaluateCel } from '../../src/cel/evaluate.ts'
import { describeService } from '../support/databases.ts'

/** Nested loops that run far longer than the one second that an expression may take. */
const LIST = `[${Array.from({ length: 20 }, (_, number) => number)}]`
const SLOW = `${Array.from('abcdefg', (name) => `${LIST}.all(${name}, `).join('')}true${')'.repeat(7)}`
const grant = { appId: 'app-payroll', appEntitlementId: 'entitlement-01' }

describeService('a policy with slow rules', (subject) => {
  const policyWith = async (condition: string) => {
    const { body } = await subject.post('/api/v1/policies', {
      displayName: 'p',
      policyType: 'POLICY_TYPE_GRANT',
      policySteps: { grant: { steps: [{ approval: {} }] } },
      rules: [{ condition, policyKey: 'grant' }],
    })
    return body.policy.id
  }
  const newTask = (policyId: string) => subject.post('/api/v1/tasks', { type: { grant }, policyId })

  it('tasks of another policy do not wait for all those of a slow policy, which is told to come back', async () => {
    const [slow, quick, other] = [await policyWith(SLOW), await policyWith('true'), await policyWith('true')]
    await Promise.all([newTask(quick), newTask(other)]) // starts both evaluators
    let answered = 0
    const tasks = Array.from({ length: 20 }, () =>
      newTask(slow).finally(() => {
        answered += 1
      }),
    )
    for (let number = 0; number < 3; number += 1) expect((await newTask(quick)).status).toBe(200)
    expect(answered).toBeLessThan(tasks.length)
    const answers = (await Promise.all(tasks)).map(({ status, body, headers }) => [
      ...[status, body.code],
      headers.get('retry-after'),
    ])
    const [refused, busy] = [
      [409, 'policy_rule_failed', null],
      [503, 'evaluation_busy', '5'],
    ]
    expect([refused, busy]).toEqual(expect.arrayContaining(answers))
    expect(answers).toContainEqual(refused)
    expect(answers).toContainEqual(busy)
    expect((await newTask(quick)).status).toBe(200)
  }, 120_000)
})

it('the number of waiting expressions of one owner is bounded, not those of another', async () => {
  const many = Array.from({ length: 150 }, () => evaluateCel(SLOW, '{}', 'greedy').catch(({ name }) => name))
  expect(await Promise.all(Array.from({ length: 20 }, () => evaluateCel('1 + 1', '{}', 'modest')))).toEqual(
    Array(20).fill(2),
  )
  const ended = await Promise.all(many)
  expect(ended).toContain('BusyError')
  expect(ended).toContain('CelError')
}, 60_000)
