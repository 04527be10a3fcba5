import { expect, it } from 'vitest'
import { createApp } from '../../src/app.ts'
import type { Database, Transaction } from '../../src/database/database.ts'
import { describeService } from '../support/databases.ts'

/** The same database, which notes what it is asked, and fails where it is told to. */
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

describeService('Skip Step', (subject) => {
  const skip = async (database: Database, policyStepId: string) =>
    createApp({ ...subject.dependencies, database }).request('/api/v1/tasks/1/action/skip-step', {
      method: 'POST',
      headers: { authorization: `Bearer ${subject.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ policyStepId, expandMask: { paths: ['*'] } }),
    })
  const current = async () => (await subject.get('/api/v1/tasks/1')).body.taskView.task.policy.current.id

  it('is one transaction: outside of it, only the token is asked for', async () => {
    const { subject: database, asked } = watched(subject.database)
    expect((await skip(database, await current())).status).toBe(200)
    expect(asked.filter((each) => each === 'transaction')).toHaveLength(1)
    expect(asked.filter((each) => each.startsWith('alone'))).toEqual(['alone: SELECT access_tokens'])
    expect(asked).toContain('inside: INSERT task_actions')
  })

  it.each([
    /UPDATE task_steps SET state = 'POLICY_STEP_STATE_ACTIVE'/,
    /UPDATE tasks/,
    /INSERT INTO task_actions/,
  ])('that fails at %s leaves nothing behind', async (failAt) => {
    const before = (await subject.get('/api/v1/tasks/1')).body
    const actions = (await subject.get('/api/v1/tasks/1/actions')).body
    const reply = await skip(watched(subject.database, failAt).subject, await current())
    expect([reply.status, await reply.json()]).toMatchObject([500, { code: 'internal' }])
    expect(subject.reports.splice(0)).toMatchObject([{ message: 'the database is gone' }])
    expect((await subject.get('/api/v1/tasks/1')).body).toEqual(before)
    expect((await subject.get('/api/v1/tasks/1/actions')).body).toEqual(actions)
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

  it('reads what it names once, in its transaction, when its policy asks nothing', async () => {
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

  it('reads it before as well, for the conditions of the policy or of one that it defers to', async () => {
    const rules = [{ condition: 'ctx.task.userId == "user-grace"', policyKey: 'grant' }]
    const ruled = await policy({ grant: STEPS }, { rules })
    for (const policyId of [ruled, await policy({}, { baselinePolicyId: ruled })]) {
      expect(alone(await asking(policyId))).toEqual(
        expect.arrayContaining(['alone: SELECT apps', 'alone: SELECT users']),
      )
    }
  })
})
