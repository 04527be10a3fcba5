import { expect, it } from 'vitest'
import { createApp } from '../../src/app.ts'
import type { Database, Transaction } from '../../src/database/database.ts'
import { describeService } from '../support/databases.ts'

/** The same database, which records its queries and fails on demand. */
function watched(database: Database, failAt?: RegExp) {
  const asked: string[] = []
  const note = (where: string, text: string) => {
    asked.push(
      `${where}: ${/^\s*\w+/.exec(text)?.[0].trim()} ${/(?:FROM|INTO|UPDATE) (\w+)/.exec(text)?.[1]}`,
    )
    if (failAt?.test(text)) throw new Error('the database is gone')
  }
  const subject: Database = {
    ...database,
    query: async (text, params) => {
      note('alone', text)
      return database.query(text, params)
    },
    transaction: (work) =>
      database.transaction((tx) => {
        asked.push('transaction')
        const inside: Transaction = {
          ...tx,
          query: async (text, params) => {
            note('inside', text)
            return tx.query(text, params)
          },
        }
        return work(inside)
      }),
  }
  return { subject, asked }
}

describeService('an action on a task', (subject) => {
  const act = async (database: Database, action: string, given: object) =>
    createApp({ ...subject.dependencies, database }).request(`/api/v1/tasks/1/action/${action}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${subject.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...given, comment: 'why', expandMask: { paths: ['*'] } }),
    })
  const current = async () => (await subject.get('/api/v1/tasks/1')).body.taskView.task.policy.current.id

  it('an action is one transaction, after the token lookup', async () => {
    const { subject: database, asked } = watched(subject.database)
    expect((await act(database, 'skip-step', { policyStepId: await current() })).status).toBe(200)
    expect(asked.filter((each) => each === 'transaction')).toHaveLength(1)
    expect(asked.filter((each) => each.startsWith('alone'))).toEqual(['alone: SELECT access_tokens'])
    expect(asked).toContain('inside: WITH task_audits')
  })

  const [ENDS, BEGINS, CLOSES, RECORDS] = [
    /SET state = 'POLICY_STEP_STATE_DONE'/,
    /SET state = 'POLICY_STEP_STATE_ACTIVE'/,
    /SET state = 'TASK_STATE_CLOSED'/,
    /INSERT INTO task_audits/,
  ]
  const [REPLANS, APPROVES] = [/INSERT INTO task_steps/, /SET approver_ids/]
  const newStepUserIds = ['user-ada']

  it.each<[string, readonly RegExp[], object]>([
    ['skip-step', [ENDS, BEGINS, RECORDS], {}],
    ['approve', [ENDS, BEGINS, RECORDS, APPROVES], {}],
    ['deny', [ENDS, CLOSES, RECORDS, APPROVES], {}],
    ['reassign', [ENDS, BEGINS, RECORDS, REPLANS], { newStepUserIds }],
    ['restart', [ENDS, BEGINS, RECORDS, REPLANS], {}],
  ])('an action leaves nothing behind if %s fails at any statement', async (action, failures, more) => {
    const policyStepId = await current()
    await act(subject.database, 'reassign', { policyStepId, newStepUserIds }) // now Ada may approve and deny
    const before = (await subject.get('/api/v1/tasks/1')).body
    const audits = (await subject.post('/api/v1/task/audits', { taskId: '1' })).body
    for (const failAt of failures) {
      const given = { policyStepId: await current(), ...more }
      const reply = await act(watched(subject.database, failAt).subject, action, given)
      expect([failAt, reply.status, await reply.json()]).toMatchObject([failAt, 500, { code: 'internal' }])
      expect(subject.reports.splice(0)).toMatchObject([{ message: 'the database is gone' }])
      expect((await subject.get('/api/v1/tasks/1')).body).toEqual(before)
      expect((await subject.post('/api/v1/task/audits', { taskId: '1' })).body).toEqual(audits)
    }
  })
})

describeService('creating a task', (subject) => {
  const TYPE = {
    grant: { appId: 'app-payroll', appEntitlementId: 'entitlement-01', appUserId: 'app-user-grace' },
  }
  const STEPS = { steps: [{ accept: {} }] }

  async function asking(policyId?: string): Promise<string[]> {
    const { subject: database, asked } = watched(subject.database)
    const reply = await createApp({ ...subject.dependencies, database }).request('/api/v1/tasks', {
      method: 'POST',
      headers: { authorization: `Bearer ${subject.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ type: TYPE, policyId }),
    })
    expect(reply.status).toBe(200)
    return asked
  }
  const alone = (asked: readonly string[]) => asked.filter((each) => each.startsWith('alone'))
  const policy = async (policySteps: object, rest: object = {}) => {
    const given = { displayName: 'x', policyType: 'POLICY_TYPE_GRANT', policySteps, ...rest }
    return (await subject.post('/api/v1/policies', given)).body.policy.id
  }

  it('the named objects are read once, in its transaction, if its policy has no rules', async () => {
    for (const policyId of [
      undefined,
      await policy({ grant: STEPS }),
      await policy({ grant: STEPS }, { rules: [] }),
    ]) {
      const asked = await asking(policyId)
      expect(alone(asked)).toEqual(['alone: SELECT access_tokens', 'alone: SELECT policies'])
      expect(asked.filter((each) => each.endsWith('SELECT apps'))).toEqual(['inside: SELECT apps'])
    }
  })

  it('the named objects are read before the transaction too if its policy, or one it defers to, has rules', async () => {
    const rules = [{ condition: 'ctx.task.userId == "user-grace"', policyKey: 'grant' }]
    const ruled = await policy({ grant: STEPS }, { rules })
    for (const policyId of [ruled, await policy({}, { baselinePolicyId: ruled })]) {
      expect(alone(await asking(policyId))).toEqual(
        expect.arrayContaining(['alone: SELECT apps', 'alone: SELECT users']),
      )
    }
  })
})
