import { expect, it } from 'vitest'
import { migrate } from '../../src/database/migrate.ts'
import { newSender, send, sendAccepted } from '../support/automations.ts'
import { describeService } from '../support/databases.ts'

describeService('rows from an older version', (subject) => {
  it('events of an older version stay remembered, and its processes can accept no more', async () => {
    const sender = await newSender(subject)
    const eventId = crypto.randomUUID()
    await sendAccepted(subject, sender, {}, eventId)
    await subject.database.transaction((tx) =>
      tx.script(`DROP VIEW webhook_events;
        ALTER TABLE claimed_events RENAME TO webhook_events;
        DELETE FROM service_migrations WHERE file LIKE '%claimed%'`),
    )
    await migrate(subject.database)
    expect((await send(subject, sender, {}, eventId)).status).toBe(409)
    const claim = `INSERT INTO webhook_events (event_id, listener_id, expires_at, done, owner)
      VALUES (gen_random_uuid(), 'any', now(), TRUE, 'an older version')`
    await expect(subject.database.query(claim)).rejects.toThrow()
    const start = 'CREATE INDEX IF NOT EXISTS webhook_events_expires_at ON webhook_events (expires_at)'
    await expect(subject.database.query(start)).rejects.toThrow()
  })

  it.each([
    ['an index of another table', 'CREATE INDEX records_of_runs ON runs (id)'],
    ['an index of other columns', 'CREATE INDEX records_of_runs ON records (value, run_id)'],
    ['an index of some rows', "CREATE INDEX records_of_runs ON records (run_id) WHERE value = ''"],
    [
      'an index whose build has failed',
      `CREATE INDEX records_of_runs ON records (run_id);
       UPDATE pg_index SET indisvalid = FALSE WHERE indexrelid = 'records_of_runs'::regclass`,
    ],
  ])('the index of records is not taken for there while its name is that of %s', async (_what, taken) => {
    const { database } = subject
    await database.transaction((tx) =>
      tx.script(`DROP INDEX records_of_runs; ${taken};
        DELETE FROM service_migrations WHERE file LIKE '%records%'`),
    )
    await expect(migrate(database)).rejects.toThrow(/records_of_runs is taken.*drop or rename/)
    await database.transaction((tx) => tx.script('DROP INDEX records_of_runs'))
    expect(await migrate(database)).toHaveLength(1)
    const [index] = await database.query<{ sql: string }>(
      "SELECT pg_get_indexdef('records_of_runs'::regclass) AS sql",
    )
    expect(index?.sql).toMatch(/ON public\.records .*\(run_id\)$/)
  })

  it('certify tasks get their access review at the next start', async () => {
    const target = { appId: 'app-payroll', appEntitlementId: 'entitlement-01' }
    const create = async (type: object) =>
      (await subject.post('/api/v1/tasks', { type })).body.taskView.task.id
    const typeOf = async (id: string) => (await subject.get(`/api/v1/tasks/${id}`)).body.taskView.task.type
    const [certify, grant] = [
      await create({ certify: { ...target, accessReviewId: 'review-payroll' } }),
      await create({ grant: target }),
    ]
    const before = [await typeOf(certify), await typeOf(grant)]
    await subject.database.query(
      `UPDATE tasks SET type = jsonb_set(type, '{certify,accessReviewSelection}', '""') WHERE id = $1`,
      [certify],
    )
    await subject.database.query("DELETE FROM service_migrations WHERE file LIKE '%certify%'")
    await migrate(subject.database)
    expect([await typeOf(certify), await typeOf(grant)]).toEqual(before)
  })

  it('skipped steps get userId instead of skippedByUserId at the next start', async () => {
    const { body } = await subject.get('/api/v1/tasks/1')
    const policyStepId = body.taskView.task.policy.current.id
    const skip = await subject.post('/api/v1/tasks/1/action/skip-step', { policyStepId, comment: 'why' })
    const { history } = skip.body.taskView.task.policy
    await subject.database.query(
      `UPDATE task_steps SET outcome = jsonb_set(outcome, '{skipped}',
         outcome->'skipped' || '{"skippedByUserId": "user-ada"}' #- '{userId}') WHERE outcome IS NOT NULL`,
    )
    await subject.database.query("DELETE FROM service_migrations WHERE file LIKE '%skipped%'")
    await migrate(subject.database)
    const after = (await subject.get('/api/v1/tasks/1')).body.taskView.task.policy.history
    expect(after).toEqual(history)
  })

  it('tasks keep their policy generation, or show none if unknown', async () => {
    const grant = { appId: 'app-payroll', appEntitlementId: 'entitlement-01' }
    const create = async () =>
      (await subject.post('/api/v1/tasks', { type: { grant }, policyId: 'policy-grant-three-steps' })).body
        .taskView.task
    const change = { displayName: 'Changed' }
    const lost = await create()
    await subject.patch('/api/v1/policies/policy-grant-three-steps', change)
    const known = await create()
    await subject.database.query('DROP TABLE policy_generations')
    await subject.database.query("DELETE FROM service_migrations WHERE file LIKE '%generations%'")
    await migrate(subject.database)
    const policyOf = async (id: string) =>
      (await subject.get(`/api/v1/tasks/${id}`)).body.taskView.task.policy.policy
    expect([await policyOf(lost.id), await policyOf(known.id)]).toEqual([null, known.policy.policy])
    expect(known.policy.policy.displayName).toBe('Changed')
  })

  it('a task without a workflow may restart, with an audit trail from its creation', async () => {
    const { list: tasks } = (await subject.post('/api/v1/search/tasks', { userIds: ['user-grace'] })).body
    // Skipping its only step would close it.
    const first = tasks.find(({ task }) => task.policy.next.length > 0)
    if (first === undefined) throw new Error('no task of the demo has another step')
    const path = `/api/v1/tasks/${first.task.id}`
    const policyStepId = first.task.policy.current.id
    const skipped = await subject.post(`${path}/action/skip-step`, { policyStepId, comment: 'old' })
    await subject.database.transaction((tx) =>
      tx.script(`ALTER TABLE tasks DROP COLUMN workflow;
        DELETE FROM task_audits WHERE event <> 'TASK_AUDIT_EVENT_ACTION';
        ALTER TABLE task_audits DROP COLUMN event, DROP COLUMN outcome, DROP COLUMN run_id;
        ALTER TABLE task_audits RENAME COLUMN action TO type;
        ALTER TABLE task_audits RENAME TO task_actions;
        DELETE FROM service_migrations WHERE file LIKE '%workflow%'`),
    )
    await migrate(subject.database)
    const { list } = (await subject.post('/api/v1/task/audits', { taskId: first.task.id })).body
    expect(list.map(({ taskAudit }) => [taskAudit.event, taskAudit.userId, taskAudit.comment])).toEqual([
      ['TASK_AUDIT_EVENT_CREATED', 'user-grace', ''],
      ['TASK_AUDIT_EVENT_ACTION', 'user-ada', 'old'],
    ])
    expect(list[1]?.taskAudit.id).toBe(skipped.body.ticketActionId)
    const { task } = (await subject.post(`${path}/action/restart`, {})).body.taskView
    expect(task.policy.current.approval).toEqual(first.task.policy.current.approval)
    expect(task.policy.next).toEqual(first.task.policy.next)
  })

  it('approvers in users.userIds and rules with a stepKey keep their meaning, and no process can write them anew', async () => {
    const KEY = '0b0e7d3c-0001-4000-8000-000000000001'
    const own = { userIds: ['user-grace', 'user-alan'] }
    const users = { kept: 1, userIds: ['user-alan', 'user-ada', 'user-ada'] }
    const before = [
      { approval: { ...own, users } },
      { provision: { users: { userIds: ['user-ada'] } } },
      { approval: { ...own, users: null } },
      { approval: { users: { userIds: null } } },
      { wait: { userIds: 'nobody', users: { userIds: ['user-alan', 1] } } },
    ]
    const after = [
      { approval: { userIds: [...own.userIds, 'user-ada'], users: { kept: 1 } } },
      { provision: { userIds: ['user-ada'], users: {} } },
      { approval: { ...own, users: null } },
      { approval: { users: {} } },
      { wait: { userIds: ['user-alan'], users: {} } },
    ]
    const target = { policyKey: KEY, kept: 1 }
    const made = await subject.post('/api/v1/policies', {
      ...{ displayName: 'p', policyType: 'POLICY_TYPE_GRANT' },
      policySteps: { grant: { steps: [{ approval: {} }] }, [KEY]: { steps: after } },
      rules: [
        { condition: 'false', policyKey: 'grant', stepKey: KEY },
        { condition: 'true', ...target },
      ],
    })
    const { policy } = made.body
    const create = async () => {
      const grant = { appId: 'app-payroll', appEntitlementId: 'entitlement-01' }
      const { body } = await subject.post('/api/v1/tasks', { type: { grant }, policyId: policy.id })
      return body.taskView.task
    }
    const task = await create()
    const { database } = subject
    await database.transaction((tx) =>
      tx.script(`ALTER TABLE task_steps DROP CONSTRAINT task_steps_users;
        ALTER TABLE tasks DROP CONSTRAINT IF EXISTS tasks_users;
        ALTER TABLE policies DROP CONSTRAINT policies_users, DROP CONSTRAINT policies_rules`),
    )
    const steps = JSON.stringify(before)
    const plan = 'UPDATE tasks SET workflow = $2::jsonb WHERE id = $1'
    await database.query(plan, [task.id, steps])
    const respell = `UPDATE task_steps SET step = $2::jsonb -> (row - 1)::int FROM (
      SELECT position AS at, row_number() OVER (ORDER BY position) AS row FROM task_steps WHERE task_id = $1
    ) AS rows WHERE task_id = $1 AND position = at`
    await database.query(respell, [task.id, steps])
    const rules = JSON.stringify([
      policy.rules?.[0],
      { condition: 'true', stepKey: KEY, policyKey: null, kept: 1 },
    ])
    for (const table of ['policies', 'policy_generations']) {
      await database.query(
        `UPDATE ${table} SET policy_steps = jsonb_set(policy_steps, $2, $3::jsonb), rules = $4::jsonb WHERE id = $1`,
        [policy.id, [KEY, 'steps'], steps, rules],
      )
    }
    await database.query("DELETE FROM service_migrations WHERE file LIKE '%spelling%'")
    await migrate(database)
    expect((await subject.get(`/api/v1/tasks/${task.id}`)).body.taskView.task).toEqual(task)
    expect((await subject.get(`/api/v1/policies/${policy.id}`)).body.policy).toEqual(policy)
    const restarted = (await subject.post(`/api/v1/tasks/${task.id}/action/restart`, {})).body.taskView.task
    for (const { stepApproverIds } of [task, restarted, await create()])
      expect(stepApproverIds).toEqual(['user-grace', 'user-alan', 'user-ada'])
    const write = (column: string, value: unknown) =>
      database.query(`UPDATE policies SET ${column} = $2::jsonb WHERE id = $1`, [
        policy.id,
        JSON.stringify(value),
      ])
    await expect(database.query(respell, [task.id, steps])).rejects.toThrow('task_steps_users')
    await expect(database.query(plan, [task.id, steps])).rejects.toThrow('tasks_users')
    await expect(write('policy_steps', { grant: { steps: before } })).rejects.toThrow('policies_users')
    for (const rule of [{ stepKey: KEY }, { stepKey: KEY, policyKey: null }])
      await expect(write('rules', [policy.rules?.[0], rule])).rejects.toThrow('policies_rules')
  })

  it('steps name the generation of the policy they came from, or the task’s where that is unknown', async () => {
    const approvalBy = (user: string) => ({ grant: { steps: [{ approval: { userIds: [user] } }] } })
    const policy = async (body: object) => {
      const given = { displayName: 'p', policyType: 'POLICY_TYPE_GRANT', ...body }
      return (await subject.post('/api/v1/policies', given)).body.policy.id
    }
    const create = async (policyId: string) => {
      const grant = { appId: 'app-payroll', appEntitlementId: 'entitlement-01' }
      return (await subject.post('/api/v1/tasks', { type: { grant }, policyId })).body.taskView.task
    }
    const edit = async (id: string, user: string) => {
      subject.clock.advance(1_000)
      await subject.patch(`/api/v1/policies/${id}`, { policySteps: approvalBy(user) })
      subject.clock.advance(1_000)
    }
    const last = await policy({ policySteps: approvalBy('a') })
    const id = await policy({ baselinePolicyId: await policy({ baselinePolicyId: last }) })
    const plain = await create(last)
    const first = await create(id)
    await edit(last, 'b')
    const second = await create(id)
    await edit(last, 'a')
    const lost = await create(id)
    await subject.database.query("UPDATE tasks SET workflow = '[]' WHERE id = $1", [lost.id])
    await subject.database.query('ALTER TABLE tasks DROP COLUMN workflow_generation_id')
    await subject.database.query("DELETE FROM service_migrations WHERE file LIKE '%source-of-steps%'")
    await migrate(subject.database)
    const shown = async (task: { readonly id: string }) =>
      (await subject.get(`/api/v1/tasks/${task.id}`)).body.taskView.task
    for (const task of [plain, first, second]) expect(await shown(task)).toEqual(task)
    expect(first.policy.current.policyGenerationId).toBe(plain.policyGenerationId)
    const { policy: unknown, policyGenerationId } = await shown(lost)
    expect(unknown.current.policyGenerationId).toBe(policyGenerationId)
  })
})
